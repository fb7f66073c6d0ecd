import { useCancelBackfill, usePauseBackfill, useResumeBackfill } from "../../api/events";
import type { Backfill } from "../../api/schema";
import { useMay } from "../../api/session";
import { Button } from "../../ui/Button";
import { useConfirm } from "../../ui/confirm";
import { formatCount } from "../../ui/time";
import { useAct } from "../../ui/toast";

/** How many partitions of a backfill have ended, and how. */
export function BackfillProgress({ backfill }: { backfill: Backfill }) {
  const ended = backfill.completed + backfill.skipped + backfill.failed;
  const scale = 100 / Math.max(backfill.total, 1);
  return (
    <div
      className="flex items-center gap-2"
      title={`${backfill.completed} computed, ${backfill.skipped} skipped, ${backfill.failed} failed`}
    >
      <svg viewBox="0 0 100 6" preserveAspectRatio="none" className="h-1.5 w-24 rounded-full" aria-hidden="true">
        <rect width="100" height="6" className="fill-grey-soft" />
        <rect width={(backfill.completed + backfill.skipped) * scale} height="6" className="fill-ok" />
        <rect
          x={(backfill.completed + backfill.skipped) * scale}
          width={backfill.failed * scale}
          height="6"
          className="fill-bad"
        />
      </svg>
      <span className="text-xs whitespace-nowrap text-muted tabular-nums">
        {formatCount(ended)} / {formatCount(backfill.total)}
      </span>
    </div>
  );
}

/** The partitions of a backfill in words. */
export function scopeOf(backfill: Backfill): string {
  if (backfill.partitions !== null) {
    const [first = "", ...rest] = backfill.partitions;
    return rest.length === 0 ? first : `${first} and ${rest.length} more`;
  }
  if (backfill.first === null && backfill.last === null) return "all of it";
  return `${backfill.first ?? "…"} to ${backfill.last ?? "…"}`;
}

/** Pause, resume and cancel, where the state of the backfill and the caller's role allow it. */
export function BackfillActions({ backfill }: { backfill: Backfill }) {
  const pause = usePauseBackfill();
  const resume = useResumeBackfill();
  const cancel = useCancelBackfill();
  const confirm = useConfirm();
  const act = useAct();
  if (!useMay("backfills:write") || !["running", "paused"].includes(backfill.status)) return null;
  const path = { backfill_id: backfill.id };
  const ask = async () => {
    const agreed = await confirm({
      title: `Cancel the backfill of ${backfill.dataset}?`,
      happens: "It starts no more tasks, and its open tasks are cancelled. Data that is committed stays.",
      undo: "This cannot be undone; start a new backfill, which skips what is computed.",
      action: "Cancel the backfill",
      danger: true,
    });
    if (agreed) await act(() => cancel.mutateAsync({ path }), "The backfill is being cancelled.");
  };
  return (
    <div className="flex flex-wrap gap-1">
      {backfill.status === "running" ? (
        <Button onClick={() => void act(() => pause.mutateAsync({ path }), "The backfill is paused.")}>Pause</Button>
      ) : (
        <Button kind="primary" onClick={() => void act(() => resume.mutateAsync({ path }), "The backfill is resumed.")}>
          Resume
        </Button>
      )}
      <Button kind="danger" onClick={() => void ask()}>
        Cancel
      </Button>
    </div>
  );
}
