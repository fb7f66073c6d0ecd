import { Link } from "@tanstack/react-router";
import { useState } from "react";

import { usePartitions } from "../../api/datasets";
import type { Partition } from "../../api/schema";
import { Copy } from "../../ui/Copy";
import { DataTable, type Column } from "../../ui/DataTable";
import { Facts, Panel } from "../../ui/Page";
import { Empty, Loaded } from "../../ui/States";
import { StatusBadge, type Tone } from "../../ui/Status";
import { Time } from "../../ui/Time";
import { formatBytes, formatCount } from "../../ui/time";
import { cellsOf, toneOfChecks, type Cell } from "./strip";

const COLUMNS: Column<Partition>[] = [
  { name: "Partition", cell: (row) => <span className="font-medium whitespace-nowrap">{row.partition ?? "all"}</span> },
  { name: "Checks", cell: (row) => <Checks partition={row} /> },
  { name: "Rows", cell: (row) => (row.rows === null ? "–" : formatCount(row.rows)), numeric: true },
  { name: "Size", cell: (row) => (row.bytes === null ? "–" : formatBytes(row.bytes)), numeric: true, wide: true },
  { name: "Task", cell: (row) => <TaskLink partition={row} />, wide: true },
  { name: "Committed", cell: (row) => <Time at={row.committed_at} /> },
];

function TaskLink({ partition }: { partition: Partition }) {
  return (
    <Link to="/tasks/$taskId" params={{ taskId: partition.task_id }} className="font-mono text-xs underline">
      {partition.task_id.slice(-8)}
    </Link>
  );
}

function Checks({ partition }: { partition: Partition }) {
  const passed = partition.checks.filter((check) => check.passed !== false).length;
  if (partition.checks.length === 0) return <span className="text-muted">none</span>;
  return <StatusBadge status={`${passed} of ${partition.checks.length} passed`} tone={toneOfChecks(partition)} />;
}

/** The committed partitions as a strip in the order of their keys, and as a list. */
export function Partitions({ name, version }: { name: string; version: string | undefined }) {
  const partitions = usePartitions(name, version);
  const [chosen, setChosen] = useState<string | null>(null);
  const found = partitions.rows.find((row) => (row.partition ?? "") === chosen);
  const complete = partitions.hasNextPage ? `the first ${partitions.rows.length}` : `all ${partitions.rows.length}`;
  return (
    <>
      {partitions.rows.length > 1 && (
        <Panel title="Partitions in order" aside={`${complete}; a stronger colour means more rows`}>
          <Strip cells={cellsOf(partitions.rows)} chosen={chosen} choose={setChosen} />
        </Panel>
      )}
      {found !== undefined && <Details partition={found} />}
      <Panel flush>
        <Loaded read={partitions}>
          {() => (
            <DataTable
              label="Partitions"
              rows={partitions.rows}
              columns={COLUMNS}
              rowKey={(row) => row.partition ?? ""}
              open={(row) => setChosen(row.partition ?? "")}
              more={{
                has: partitions.hasNextPage,
                busy: partitions.isFetchingNextPage,
                load: partitions.fetchNextPage,
              }}
              empty={<Empty title="Nothing is committed yet." command={`tenuto backfill start ${name}`} />}
            />
          )}
        </Loaded>
      </Panel>
    </>
  );
}

const FILLS: Record<Tone, string> = { ok: "bg-ok", bad: "bg-bad", warn: "bg-warn", info: "bg-info", grey: "bg-muted" };

interface StripProps {
  cells: Cell[];
  chosen: string | null;
  choose: (key: string) => void;
}

function Strip({ cells, chosen, choose }: StripProps) {
  const size = cells.length > 60 ? "h-6 w-3" : "h-7 w-12";
  return (
    <div className="w-fit max-w-full">
      <div className="flex flex-wrap gap-0.5" role="group" aria-label="Partitions in order">
        {cells.map((cell) =>
          cell.partition === null ? (
            <span
              key={cell.key}
              title={`${cell.key}: missing`}
              className={`${size} rounded-sm border border-dashed border-line`}
            />
          ) : (
            <button
              key={cell.key}
              type="button"
              title={`${cell.key}: ${formatCount(cell.partition.rows ?? 0)} rows`}
              aria-label={`Partition ${cell.key}`}
              aria-pressed={cell.key === chosen}
              onClick={() => choose(cell.key)}
              style={{ opacity: 0.35 + 0.65 * cell.heat }}
              className={`${size} rounded-sm aria-pressed:ring-2 aria-pressed:ring-accent ${FILLS[cell.tone]}`}
            />
          ),
        )}
      </div>
      <div className="mt-1.5 flex justify-between gap-4 text-xs whitespace-nowrap text-muted">
        <span>{cells[0]?.key}</span>
        <span>{cells.at(-1)?.key}</span>
      </div>
    </div>
  );
}

function Details({ partition }: { partition: Partition }) {
  return (
    <Panel title={`Partition ${partition.partition ?? "all"}`}>
      <div className="grid gap-4 lg:grid-cols-2">
        <Facts
          facts={[
            ["Task", <Copy key="task" text={partition.task_id} />],
            ["Attempt", partition.attempt],
            ["Committed", <Time key="at" at={partition.committed_at} />],
            [
              "Fingerprint",
              <Copy key="fingerprint" text={partition.fingerprint} shown={partition.fingerprint.slice(0, 16)} />,
            ],
            ["Location", <Copy key="location" text={partition.location} />],
          ]}
        />
        <div className="flex flex-col gap-3 text-sm">
          <div>
            <h3 className="mb-1 text-muted">Checks</h3>
            {partition.checks.length === 0 && <p>No checks are defined.</p>}
            <ul className="flex flex-col gap-1">
              {partition.checks.map((check) => (
                <li key={String(check.name)} className="flex flex-wrap items-center gap-2">
                  <StatusBadge
                    status={check.passed === false ? "failed" : "passed"}
                    tone={check.passed !== false ? "ok" : check.severity === "warn" ? "warn" : "bad"}
                  />
                  {String(check.name)}
                  {typeof check.message === "string" && <span className="text-muted">{check.message}</span>}
                </li>
              ))}
            </ul>
          </div>
          <div>
            <h3 className="mb-1 text-muted">Computed from</h3>
            {partition.input_versions.length === 0 && <p>No dataset was read.</p>}
            <ul className="flex flex-col gap-1">
              {partition.input_versions.map((input, index) => (
                <li key={index}>
                  {typeof input.dataset === "string" ? (
                    <Link to="/datasets/$name" params={{ name: input.dataset }} className="underline">
                      {input.dataset}
                    </Link>
                  ) : (
                    "an output without a name"
                  )}{" "}
                  {typeof input.partition === "string" && input.partition}
                </li>
              ))}
            </ul>
          </div>
        </div>
      </div>
    </Panel>
  );
}
