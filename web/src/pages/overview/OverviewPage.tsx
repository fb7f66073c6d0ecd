import { Link } from "@tanstack/react-router";
import { useState } from "react";

import { useRuns } from "../../api/runs";
import { useStatus } from "../../api/status";
import type { OrgStatus } from "../../api/schema";
import { errorText } from "../../ui/Json";
import { Figure, Page, Panel } from "../../ui/Page";
import { Empty, Loaded } from "../../ui/States";
import { StatusBadge } from "../../ui/Status";
import { Time } from "../../ui/Time";
import { formatCount, formatSeconds } from "../../ui/time";
import { workersAlive } from "../workers/health";
import { Attention } from "./Attention";
import { FailingTypes } from "./FailingTypes";
import { Queues } from "./Queues";
import { RangeChoice, Rates } from "./Rates";
import type { Range } from "./range";

const FAILED = { status: ["failed" as const], limit: 8 };
const RECENT = { limit: 8 };

export function OverviewPage() {
  const status = useStatus();
  const [range, setRange] = useState<Range>("1h");
  return (
    <Page title="Overview" actions={<RangeChoice range={range} onChange={setRange} />}>
      <Loaded read={status}>
        {(found) => (
          <>
            <Attention status={found} />
            <Figures status={found} />
          </>
        )}
      </Loaded>
      <Rates range={range} />
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Queues />
        <FailingTypes />
        <LatestRuns title="Failed runs" query={FAILED} none="No run has failed." />
        <LatestRuns
          title="Latest runs"
          query={RECENT}
          none="There are no runs yet."
          command="tenuto start app.task name=value"
        />
      </div>
    </Page>
  );
}

function Figures({ status }: { status: OrgStatus }) {
  const oldest = status.oldest_ready_seconds;
  const workers = workersAlive(status);
  const dead = status.health.dead ?? 0;
  return (
    <div className="grid grid-cols-2 gap-3 md:grid-cols-4">
      <Figure name="Attempts per second" value={status.per_second.toFixed(1)} />
      <Figure name="Running" value={formatCount(status.running)} />
      <Figure
        name="Ready to run"
        value={formatCount(status.ready)}
        about={oldest === null ? "none waits" : `oldest waits for ${formatSeconds(oldest)}`}
      />
      <Figure name="Waiting or delayed" value={formatCount(status.waiting + status.delayed + status.pending)} />
      <Figure
        name="Attempts failed, last minute"
        value={formatCount(status.failed_last_minute)}
        bad={status.failed_last_minute > 0}
      />
      <Figure
        name="Side effects to deliver"
        value={formatCount(status.outbox_pending)}
        about={aboutEffects(status)}
        bad={status.outbox_dead > 0}
      />
      <Figure name="Completed in total" value={formatCount(status.completed)} />
      <Figure
        name="Workers alive"
        value={formatCount(workers)}
        about={dead === 0 ? undefined : `${formatCount(dead)} dead`}
        bad={workers === 0}
      />
    </div>
  );
}

function aboutEffects(status: OrgStatus): string {
  const oldest = status.oldest_effect_seconds;
  const age = oldest === null ? "none waits" : `oldest waits for ${formatSeconds(oldest)}`;
  return status.outbox_dead === 0 ? age : `${age}, ${formatCount(status.outbox_dead)} failed for good`;
}

interface LatestProps {
  title: string;
  query: { status?: "failed"[]; limit: number };
  none: string;
  command?: string;
}

function LatestRuns({ title, query, none, command }: LatestProps) {
  const runs = useRuns(query);
  return (
    <Panel
      title={title}
      flush
      aside={
        <Link to="/runs" search={{ status: query.status }} className="underline">
          all
        </Link>
      }
    >
      <Loaded read={runs}>
        {() =>
          runs.rows.length === 0 ? (
            <Empty title={none} command={command} />
          ) : (
            <ul>
              {runs.rows.map((run) => (
                <li key={run.id} className="border-b border-line last:border-0">
                  <Link
                    to="/runs/$runId"
                    params={{ runId: run.id }}
                    className="flex items-center gap-3 px-4 py-2 text-sm hover:bg-raised"
                  >
                    <StatusBadge status={run.status} />
                    <span className="max-w-[45%] min-w-24 shrink-0 truncate font-medium">
                      {run.name ?? run.type ?? run.id}
                    </span>
                    <span className="min-w-0 flex-1 truncate text-bad">{errorText(run.error)}</span>
                    <span className="text-xs text-muted">
                      <Time at={run.completed_at ?? run.created_at} />
                    </span>
                  </Link>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
}
