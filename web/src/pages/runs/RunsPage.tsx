import { Link, useNavigate } from "@tanstack/react-router";
import { useCallback, useMemo, useState } from "react";

import type { RunSummary } from "../../api/schema";
import { useRuns } from "../../api/runs";
import { useMay } from "../../api/session";
import { Button } from "../../ui/Button";
import { Copy, shortId } from "../../ui/Copy";
import { DataTable, useSelection, type Column } from "../../ui/DataTable";
import { Choice, TextFilter, Toggles } from "../../ui/Filters";
import { errorText } from "../../ui/Json";
import { Page, Panel } from "../../ui/Page";
import { SavedViews } from "../../ui/SavedViews";
import { Empty, Loaded } from "../../ui/States";
import { StatusBadge } from "../../ui/Status";
import { Duration, Time } from "../../ui/Time";
import { PERIODS, sinceOf } from "../search";
import { BulkByFilter } from "./BulkByFilter";
import { BulkBar } from "./BulkBar";
import { Progress } from "./Progress";
import { StartRun } from "./StartRun";
import { RUN_STATUSES, runsRoute, type RunsSearch, type RunStatus } from "./route";

const COLUMNS: Column<RunSummary>[] = [
  { name: "State", cell: (run) => <StatusBadge status={run.status} /> },
  { name: "Run", cell: (run) => <RunLink run={run} />, className: "max-w-96" },
  { name: "Id", cell: (run) => <Copy text={run.id} shown={shortId(run.id)} />, wide: true },
  { name: "Tasks", cell: (run) => <Progress run={run} />, wide: true },
  { name: "Started", cell: (run) => <Time at={run.started_at ?? run.created_at} /> },
  { name: "Took", cell: (run) => <Duration from={run.started_at} until={run.completed_at} />, numeric: true },
  {
    name: "Error",
    cell: (run) => <span className="line-clamp-1 text-bad">{errorText(run.error)}</span>,
    wide: true,
    className: "max-w-72",
  },
];

function RunLink({ run }: { run: RunSummary }) {
  return (
    <Link to="/runs/$runId" params={{ runId: run.id }} className="line-clamp-1 font-medium hover:underline">
      {run.name ?? run.type ?? run.id}
    </Link>
  );
}

export function RunsPage() {
  const search = runsRoute.useSearch();
  const navigate = useNavigate({ from: "/runs" });
  const selection = useSelection();
  const mayWrite = useMay("runs:write");
  const change = useCallback(
    (next: Partial<RunsSearch>) =>
      void navigate({ search: (old: RunsSearch) => ({ ...old, ...next }), replace: true }),
    [navigate],
  );
  const query = useMemo(
    () => ({
      limit: 50,
      status: search.status,
      type: search.type,
      name: search.name,
      metadata: isObject(search.metadata) ? search.metadata : undefined,
      since: sinceOf(search.since),
    }),
    [search],
  );
  const runs = useRuns(query);
  const filtered = Object.values(search).some(Boolean);
  const [starting, setStarting] = useState(false);
  return (
    <Page
      title="Runs"
      about="A run is one execution of a task or graph, with all tasks that it starts."
      actions={mayWrite && <Button onClick={() => setStarting(true)}>Start a run</Button>}
    >
      {starting && <StartRun close={() => setStarting(false)} />}
      <div className="flex flex-wrap items-center gap-2">
        <Toggles
          label="States"
          options={RUN_STATUSES}
          value={search.status ?? []}
          onChange={(status) => change({ status: status.length > 0 ? (status as RunStatus[]) : undefined })}
        />
        <TextFilter label="Type" value={search.type} onChange={useCallback((type) => change({ type }), [change])} />
        <TextFilter label="Name" value={search.name} onChange={useCallback((name) => change({ name }), [change])} />
        <TextFilter
          label="Metadata"
          placeholder='Metadata: {"team": "a"}'
          value={search.metadata}
          onChange={useCallback((metadata) => change({ metadata }), [change])}
          className="w-56"
        />
        <Choice
          label="Started"
          all="any time"
          options={PERIODS}
          value={search.since}
          onChange={(since) => change({ since })}
        />
        {mayWrite && <BulkByFilter query={query} />}
        {filtered && <Button onClick={() => void navigate({ search: {}, replace: true })}>Clear filters</Button>}
        <SavedViews page="runs" search={search} open={(view) => void navigate({ search: view })} />
      </div>
      {search.metadata !== undefined && !isObject(search.metadata) && (
        <p role="alert" className="text-sm text-bad">
          Metadata is a JSON object that runs contain, for example {'{"team": "a"}'}.
        </p>
      )}
      {mayWrite && selection.keys.size > 0 && <BulkBar selection={selection} runs={runs.rows} />}
      <Panel flush>
        <Loaded read={runs}>
          {() => (
            <DataTable
              label="Runs"
              rows={runs.rows}
              columns={COLUMNS}
              rowKey={(run) => run.id}
              open={(run) => void navigate({ to: "/runs/$runId", params: { runId: run.id } })}
              selection={mayWrite ? selection : undefined}
              more={{ has: runs.hasNextPage, busy: runs.isFetchingNextPage, load: runs.fetchNextPage }}
              empty={
                filtered ? (
                  <Empty title="No run matches these filters." />
                ) : (
                  <Empty title="There are no runs yet. Start one:" command="tenuto start app.task name=value" />
                )
              }
            />
          )}
        </Loaded>
      </Panel>
    </Page>
  );
}

function isObject(text: string | undefined): boolean {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
