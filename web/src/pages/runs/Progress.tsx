import type { RunSummary } from "../../api/schema";
import { formatCount } from "../../ui/time";

type Counts = Pick<
  RunSummary,
  "total_tasks" | "completed_tasks" | "failed_tasks" | "cancelled_tasks" | "skipped_tasks"
>;

/** How many tasks of a run have ended, and how. */
export function Progress({ run }: { run: Counts }) {
  const others = run.cancelled_tasks + run.skipped_tasks;
  const ended = run.completed_tasks + run.failed_tasks + others;
  const title = `${run.completed_tasks} completed, ${run.failed_tasks} failed, ${others} cancelled or skipped`;
  return (
    <div className="flex items-center gap-2" title={title}>
      <svg viewBox="0 0 100 6" preserveAspectRatio="none" className="h-1.5 w-20 rounded-full" aria-hidden="true">
        <rect width="100" height="6" className="fill-grey-soft" />
        <Bar from={0} count={run.completed_tasks} of={run.total_tasks} className="fill-ok" />
        <Bar from={run.completed_tasks} count={run.failed_tasks} of={run.total_tasks} className="fill-bad" />
        <Bar from={run.completed_tasks + run.failed_tasks} count={others} of={run.total_tasks} className="fill-muted" />
      </svg>
      <span className="text-xs whitespace-nowrap text-muted tabular-nums">
        {formatCount(ended)} / {formatCount(run.total_tasks)}
      </span>
    </div>
  );
}

function Bar({ from, count, of, className }: { from: number; count: number; of: number; className: string }) {
  const scale = of > 0 ? 100 / of : 0;
  return <rect x={from * scale} width={count * scale} height="6" className={className} />;
}
