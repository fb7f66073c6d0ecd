import { useNavigate } from "@tanstack/react-router";

import { useDeleteDag } from "../../api/dags";
import { useMay } from "../../api/session";
import { Button } from "../../ui/Button";
import { useConfirm } from "../../ui/confirm";
import { useAct, useToast } from "../../ui/toast";

const MAX_NAMES = 10;

/** Deletes a DAG after a dry run, so that the question names the datasets that go with it. */
export function DeleteDag({ name }: { name: string }) {
  const remove = useDeleteDag();
  const confirm = useConfirm();
  const act = useAct();
  const toast = useToast();
  const navigate = useNavigate();
  if (!useMay("datasets:write")) return null;
  const ask = async () => {
    let datasets: string[];
    try {
      datasets = (await remove.mutateAsync({ name, dryRun: true })).datasets;
    } catch (error) {
      toast.failed(error);
      return;
    }
    const agreed = await confirm({
      title: `Delete the DAG ${name}?`,
      happens: `Its jobs start no more tasks, and ${named(datasets)}`,
      undo: "This cannot be undone. A deploy of its document creates the DAG again, without the data.",
      action: "Delete the DAG",
      danger: true,
    });
    if (!agreed) return;
    await navigate({ to: "/dags" }); // before its page asks for a DAG that is gone
    await act(() => remove.mutateAsync({ name, dryRun: false }), `The DAG ${name} is deleted.`);
  };
  return (
    <Button kind="danger" busy={remove.isPending} onClick={() => void ask()}>
      Delete
    </Button>
  );
}

function named(datasets: string[]): string {
  if (datasets.length === 0) return "it has no datasets.";
  const shown = datasets.slice(0, MAX_NAMES).join(", ");
  const more = datasets.length > MAX_NAMES ? ` and ${datasets.length - MAX_NAMES} more` : "";
  return `the data of these datasets is deleted: ${shown}${more}.`;
}
