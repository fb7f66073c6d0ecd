import { Link, useNavigate } from "@tanstack/react-router";
import { useCallback } from "react";

import { useEvents } from "../../api/events";
import type { Event } from "../../api/schema";
import { Copy, shortId } from "../../ui/Copy";
import { DataTable, type Column } from "../../ui/DataTable";
import { TextFilter } from "../../ui/Filters";
import { Page, Panel } from "../../ui/Page";
import { Empty, Loaded } from "../../ui/States";
import { Time } from "../../ui/Time";
import { Reactions } from "./Reactions";
import { eventsRoute, type EventsSearch } from "./route";

const COLUMNS: Column<Event>[] = [
  { name: "When", cell: (event) => <Time at={event.created_at} /> },
  {
    name: "What",
    cell: (event) => (event.task_id === null ? "invalidated" : event.fingerprint === null ? "emitted" : "committed"),
  },
  { name: "Dataset", cell: (event) => <DatasetLink event={event} /> },
  { name: "Partition", cell: (event) => event.partition ?? "–", className: "whitespace-nowrap" },
  { name: "Job", cell: (event) => `${event.dag} / ${event.job ?? "–"}`, wide: true },
  { name: "DAG version", cell: (event) => event.version, numeric: true, wide: true },
  { name: "Id", cell: (event) => <Copy text={event.id} shown={shortId(event.id)} />, wide: true },
];

function DatasetLink({ event }: { event: Event }) {
  if (event.dataset === null) return <span className="text-muted">–</span>;
  return (
    <Link to="/datasets/$name" params={{ name: event.dataset }} className="font-medium hover:underline">
      {event.dataset}
    </Link>
  );
}

export function EventsPage() {
  const search = eventsRoute.useSearch();
  const navigate = useNavigate({ from: "/events" });
  const events = useEvents(search.dataset);
  const change = useCallback(
    (next: Partial<EventsSearch>) =>
      void navigate({ search: (old: EventsSearch) => ({ ...old, ...next }), replace: true }),
    [navigate],
  );
  return (
    <Page title="Events" about="Commits of datasets and events of tasks, each with what it started.">
      <div className="flex flex-wrap gap-2">
        <TextFilter
          label="Dataset"
          value={search.dataset}
          onChange={useCallback((dataset) => change({ dataset, event: undefined }), [change])}
        />
      </div>
      {search.event !== undefined && <Reactions eventId={search.event} close={() => change({ event: undefined })} />}
      <Panel flush>
        <Loaded read={events}>
          {() => (
            <DataTable
              label="Events"
              rows={events.rows}
              columns={COLUMNS}
              rowKey={(event) => event.id}
              open={(event) => change({ event: event.id })}
              more={{ has: events.hasNextPage, busy: events.isFetchingNextPage, load: events.fetchNextPage }}
              empty={
                search.dataset === undefined ? (
                  <Empty title="There are no events yet." command="tenuto jobs trigger DAG JOB" />
                ) : (
                  <Empty title="This dataset has no events." />
                )
              }
            />
          )}
        </Loaded>
      </Panel>
    </Page>
  );
}
