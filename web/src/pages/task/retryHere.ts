import { useNavigate } from "@tanstack/react-router";

import { useRetryTask } from "../../api/tasks";
import { useConfirm } from "../../ui/confirm";
import { isFinal } from "../../ui/Status";
import { useAct } from "../../ui/toast";

interface Origin {
  id: string;
  name: string | null;
  type: string;
}

/** Whether a run can start again from this task: its parent starts a child again itself, and the run its handlers. */
export function isOrigin(task: { status: string; parent_id: string | null; handler: string | null }): boolean {
  return isFinal(task.status) && task.parent_id === null && task.handler === null;
}

/** Asks, starts the run of a task again from this task on, and opens the new run. */
export function useRetryHere({ id, name, type }: Origin) {
  const retry = useRetryTask();
  const confirm = useConfirm();
  const act = useAct();
  const navigate = useNavigate();
  const from = name ?? type;
  const retryHere = async () => {
    const agreed = await confirm({
      title: "Retry from here?",
      happens: `The run starts again as a new run: its tasks ${from} and all that depend on them run again; others keep
        their results, except those that failed.`,
      undo: "You can cancel the new run.",
      action: "Retry from here",
    });
    if (!agreed) return;
    await act(async () => {
      const run = await retry.mutateAsync({ path: { task_id: id }, body: { from } });
      await navigate({ to: "/runs/$runId", params: { runId: run.id } });
    }, "The run starts again from this task.");
  };
  return { retryHere, busy: retry.isPending };
}
