import { Link } from "@tanstack/react-router";

import { usePools, useScalingDecisions } from "../../api/pools";
import type { PoolStatus, ScalingDecision } from "../../api/schema";
import { Button } from "../../ui/Button";
import { DataTable, type Column } from "../../ui/DataTable";
import { Panel } from "../../ui/Page";
import { Empty, Loaded } from "../../ui/States";
import { StatusBadge } from "../../ui/Status";
import { Time } from "../../ui/Time";
import { formatCount } from "../../ui/time";

const COLUMNS: Column<PoolStatus>[] = [
  {
    name: "Pool",
    cell: (pool) => (
      <Link to="/workers" search={{ pool: pool.name }} className="font-medium hover:underline">
        {pool.name}
      </Link>
    ),
  },
  { name: "State", cell: (pool) => <State pool={pool} /> },
  { name: "Workers", cell: (pool) => <Size pool={pool} /> },
  { name: "Ready tasks", cell: (pool) => formatCount(pool.ready), numeric: true, wide: true },
  { name: "Provider", cell: (pool) => pool.provider, wide: true },
  { name: "Last decision", cell: (pool) => pool.reason ?? "none yet", className: "min-w-48" },
];

function State({ pool }: { pool: PoolStatus }) {
  if (pool.paused_at !== null) return <StatusBadge status="paused" />;
  if (!pool.controlled) return <StatusBadge status="not controlled" tone="bad" />;
  if (pool.problem !== null) {
    return (
      <span title={pool.problem}>
        <StatusBadge status="problem" tone="warn" />
      </span>
    );
  }
  return <StatusBadge status="active" />;
}

function Size({ pool }: { pool: PoolStatus }) {
  const now = pool.active + pool.starting + pool.draining;
  const parts = [
    pool.starting > 0 ? `${pool.starting} starting` : "",
    pool.draining > 0 ? `${pool.draining} draining` : "",
    pool.error > 0 ? `${pool.error} failed` : "",
  ].filter((part) => part !== "");
  return (
    <span className="whitespace-nowrap tabular-nums" title={`from ${pool.min_workers} to ${pool.max_workers} workers`}>
      {now} of {pool.max_workers}
      {parts.length > 0 && <span className="text-muted"> ({parts.join(", ")})</span>}
    </span>
  );
}

/** The pools that scale by themselves; a row shows the decisions about its size, with their reasons. */
export function Pools({ chosen, choose }: { chosen?: string; choose: (pool: string | undefined) => void }) {
  const pools = usePools();
  return (
    <>
      <Panel title="Pools" flush aside="a row shows why it grew or shrank">
        <Loaded read={pools}>
          {() => (
            <DataTable
              label="Pools"
              rows={pools.rows}
              columns={COLUMNS}
              rowKey={(pool) => pool.id}
              open={(pool) => choose(pool.name === chosen ? undefined : pool.name)}
              more={{ has: pools.hasNextPage, busy: pools.isFetchingNextPage, load: pools.fetchNextPage }}
              empty={<Empty title="There are no pools." command="tenuto pools set POOL provider=local max_workers=4" />}
            />
          )}
        </Loaded>
      </Panel>
      {chosen !== undefined && <Decisions pool={chosen} close={() => choose(undefined)} />}
    </>
  );
}

const DECISIONS: Column<ScalingDecision>[] = [
  { name: "When", cell: (decision) => <Time at={decision.decided_at} /> },
  {
    name: "Workers",
    cell: (decision) => (
      <span className="whitespace-nowrap tabular-nums">
        {decision.workers} → {decision.wanted}
      </span>
    ),
  },
  { name: "Why", cell: (decision) => decision.reason },
];

function Decisions({ pool, close }: { pool: string; close: () => void }) {
  const decisions = useScalingDecisions(pool);
  return (
    <Panel title={`Decisions about ${pool}`} flush aside={<Button onClick={close}>Close</Button>}>
      <Loaded read={decisions}>
        {() => (
          <DataTable
            label={`Decisions about ${pool}`}
            rows={decisions.rows}
            columns={DECISIONS}
            rowKey={(decision) => decision.id}
            more={{ has: decisions.hasNextPage, busy: decisions.isFetchingNextPage, load: decisions.fetchNextPage }}
            empty={<Empty title="No decision was needed yet." />}
          />
        )}
      </Loaded>
    </Panel>
  );
}
