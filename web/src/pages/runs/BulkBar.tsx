import { useState } from "react";

import { useCancelRun, useRetryRun } from "../../api/runs";
import type { RunSummary } from "../../api/schema";
import { Button } from "../../ui/Button";
import { useConfirm } from "../../ui/confirm";
import type { Selection } from "../../ui/DataTable";
import { isFinal } from "../../ui/Status";
import { useToast } from "../../ui/toast";

/** What can be done with the selected runs. */
export function BulkBar({ selection, runs }: { selection: Selection; runs: RunSummary[] }) {
  const confirm = useConfirm();
  const toast = useToast();
  const cancel = useCancelRun();
  const retry = useRetryRun();
  const [busy, setBusy] = useState(false);
  const chosen = runs.filter((run) => selection.keys.has(run.id));
  const open = chosen.filter((run) => !isFinal(run.status));
  const ended = chosen.filter((run) => isFinal(run.status));

  const each = async (rows: RunSummary[], act: (run: RunSummary) => Promise<unknown>, done: string) => {
    setBusy(true);
    let count = 0;
    for (const run of rows) {
      try {
        await act(run);
        count += 1;
      } catch (error) {
        toast.failed(error);
      }
    }
    if (count > 0) toast.done(`${plural(count)} ${done}`);
    selection.set([]);
    setBusy(false);
  };

  const cancelAll = async () => {
    const agreed = await confirm({
      title: `Cancel ${plural(open.length)}?`,
      happens: "Tasks that have not started never start; running tasks are asked to stop.",
      undo: "A cancelled run can be retried: it starts again as a new run, and completed tasks are not repeated.",
      action: `Cancel ${plural(open.length)}`,
      danger: true,
    });
    if (agreed) await each(open, (run) => cancel.mutateAsync({ path: { run_id: run.id } }), "cancelled");
  };
  const retryAll = async () => {
    const agreed = await confirm({
      title: `Retry ${plural(ended.length)}?`,
      happens: "Each becomes a new run; tasks that completed keep their results and are not repeated.",
      undo: "You can cancel the new runs.",
      action: `Retry ${plural(ended.length)}`,
    });
    if (agreed) await each(ended, (run) => retry.mutateAsync({ path: { run_id: run.id } }), "retried");
  };
  return (
    <div className="flex flex-wrap items-center gap-2 rounded-lg border border-line bg-panel px-4 py-2 text-sm">
      <span className="font-medium">{chosen.length} selected</span>
      <Button kind="danger" busy={busy} disabled={open.length === 0} onClick={() => void cancelAll()}>
        Cancel {open.length}
      </Button>
      <Button busy={busy} disabled={ended.length === 0} onClick={() => void retryAll()}>
        Retry {ended.length}
      </Button>
      <Button onClick={() => selection.set([])}>Clear selection</Button>
    </div>
  );
}

function plural(count: number): string {
  return count === 1 ? "1 run" : `${count} runs`;
}
