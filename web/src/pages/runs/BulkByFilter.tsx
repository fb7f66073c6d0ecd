import { useState } from "react";

import { useCancelRuns, useCountRuns, useRetryRuns, type RunQuery } from "../../api/runs";
import type { BulkPiece } from "../../api/schema";
import { Button } from "../../ui/Button";
import { useConfirm } from "../../ui/confirm";
import { isFinal } from "../../ui/Status";
import { formatCount } from "../../ui/time";
import { useToast } from "../../ui/toast";

const PIECE = 200; // runs per request
type Ended = "completed" | "failed" | "cancelled";
type Open = "pending" | "running" | "retrying";

/** Cancels or retries every run that the filters select, piece by piece; runs that start meanwhile are left out. */
export function BulkByFilter({ query }: { query: RunQuery }) {
  const cancel = useCancelRuns();
  const retry = useRetryRuns();
  const confirm = useConfirm();
  const toast = useToast();
  const [progress, setProgress] = useState<string | null>(null);
  const [status, ...others] = query.status ?? [];
  const count = useCountRuns(query, status !== undefined);
  if (status === undefined || others.length > 0 || query.metadata != null) return null;
  const filter = { type: query.type, name: query.name, since: query.since, limit: PIECE };
  const verb = isFinal(status) ? "Retry" : "Cancel";
  const send = (before: string | null): Promise<BulkPiece> =>
    isFinal(status)
      ? retry.mutateAsync({ body: { ...filter, status: status as Ended, before } })
      : cancel.mutateAsync({ body: { ...filter, status: status as Open, before } });

  const run = async () => {
    const agreed = await confirm({
      title: `${verb} every ${status} run that these filters select?`,
      happens: isFinal(status)
        ? "Each becomes a new run; tasks that completed keep their results and are not repeated."
        : "Tasks that have not started never start; running tasks are asked to stop.",
      undo: isFinal(status)
        ? "You can cancel the new runs. Leave this page to stop early."
        : "A cancelled run can be retried. Leave this page to stop early.",
      action: `${verb} them all`,
      danger: !isFinal(status),
    });
    if (!agreed) return;
    let done = 0;
    let refused = 0;
    try {
      for (let before: string | null = null, more = true; more; ) {
        const piece: BulkPiece = await send(before);
        done += piece.run_ids.length;
        refused += piece.refused.length;
        setProgress(`${formatCount(done)} done…`);
        before = piece.next_before;
        more = before !== null;
      }
      const others = refused > 0 ? `, ${refused} refused` : "";
      toast.done(`${formatCount(done)} runs ${isFinal(status) ? "retried" : "cancelled"}${others}.`);
    } catch (error) {
      toast.failed(error);
    } finally {
      setProgress(null);
    }
  };
  const total = count.data?.total;
  const number = total == null ? "" : `${total.exact ? "" : "about "}${formatCount(total.count)} `;
  return (
    <Button
      kind={isFinal(status) ? "plain" : "danger"}
      busy={progress !== null}
      disabled={total?.count === 0}
      onClick={() => void run()}
    >
      {progress ?? `${verb} all ${number}${status}`}
    </Button>
  );
}
