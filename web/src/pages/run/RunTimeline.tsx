import { Link } from "@tanstack/react-router";

import { useRunAttempts } from "../../api/runs";
import type { RunAttempt } from "../../api/schema";
import { Panel } from "../../ui/Page";
import { Empty, Loaded } from "../../ui/States";
import { toneOf, type Tone } from "../../ui/Status";
import { useNow } from "../../ui/Time";
import { formatSeconds } from "../../ui/time";

const FILLS: Record<Tone, string> = {
  ok: "fill-ok",
  bad: "fill-bad",
  warn: "fill-warn",
  info: "fill-info",
  grey: "fill-muted",
};

/** What ran when: one row per task, one bar per attempt, waiting in the queue before it in grey. */
export function RunTimeline({ runId, open }: { runId: string; open: boolean }) {
  const attempts = useRunAttempts(runId, open);
  return (
    <Panel flush>
      <Loaded read={attempts}>
        {(found) =>
          found.items.length === 0 ? <Empty title="No task has begun yet." /> : <Rows attempts={found.items} />
        }
      </Loaded>
    </Panel>
  );
}

function Rows({ attempts }: { attempts: RunAttempt[] }) {
  const now = useNow();
  const begin = Math.min(...attempts.map((attempt) => time(attempt.queued_at ?? attempt.started_at, now)));
  const end = Math.max(...attempts.map((attempt) => time(attempt.ended_at, now)));
  const span = Math.max(end - begin, 1);
  const rows = new Map<string, RunAttempt[]>();
  for (const attempt of attempts) rows.set(attempt.task_id, [...(rows.get(attempt.task_id) ?? []), attempt]);
  return (
    <div className="max-h-[70vh] overflow-auto" tabIndex={0} role="region" aria-label="Timeline of the run">
      <div className="flex justify-between border-b border-line px-4 py-2 text-xs text-muted">
        <span>0 s</span>
        <span>{formatSeconds(span / 1000)}</span>
      </div>
      {[...rows].map(([taskId, bars]) => (
        <Row key={taskId} taskId={taskId} bars={bars} begin={begin} span={span} now={now} />
      ))}
    </div>
  );
}

interface RowProps {
  taskId: string;
  bars: RunAttempt[];
  begin: number;
  span: number;
  now: number;
}

function Row({ taskId, bars, begin, span, now }: RowProps) {
  const at = (moment: number) => (1000 * (moment - begin)) / span;
  return (
    <div className="flex items-center gap-3 border-b border-line px-4 py-1.5 last:border-0 hover:bg-raised">
      <Link to="/tasks/$taskId" params={{ taskId }} className="w-40 shrink-0 truncate text-sm hover:underline">
        {bars[0]?.name ?? bars[0]?.type}
      </Link>
      <svg
        viewBox="0 0 1000 16"
        preserveAspectRatio="none"
        className="h-4 min-w-0 flex-1"
        role="img"
        aria-label="Attempts"
      >
        {bars.map((bar) => {
          const started = time(bar.started_at, now);
          const ended = time(bar.ended_at, now);
          const queued = time(bar.queued_at ?? bar.started_at, now);
          return (
            <g key={`${bar.attempt} ${bar.started_at ?? ""}`}>
              <title>{`attempt ${bar.attempt} ${bar.outcome}, ${formatSeconds((ended - started) / 1000)}`}</title>
              <rect
                x={at(queued)}
                y="6"
                width={Math.max(0, at(started) - at(queued))}
                height="4"
                className="fill-grey-soft"
              />
              <rect
                x={at(started)}
                y="2"
                width={Math.max(3, at(ended) - at(started))}
                height="12"
                className={FILLS[toneOf(bar.outcome)]}
              />
            </g>
          );
        })}
      </svg>
      <span className="w-16 shrink-0 text-right text-xs text-muted tabular-nums">
        {formatSeconds(bars.reduce((sum, bar) => sum + time(bar.ended_at, now) - time(bar.started_at, now), 0) / 1000)}
      </span>
    </div>
  );
}

function time(at: string | null, now: number): number {
  return at === null ? now : Date.parse(at);
}
