import { Link } from "@tanstack/react-router";

import { useCursors } from "../../api/datasets";
import type { Cursor } from "../../api/schema";
import { DataTable, type Column } from "../../ui/DataTable";
import { Panel } from "../../ui/Page";
import { Empty, Loaded } from "../../ui/States";
import { StatusBadge } from "../../ui/Status";
import { Time } from "../../ui/Time";
import { formatCount } from "../../ui/time";

const MAX_BEHIND = 1000; // the server counts no further

const COLUMNS: Column<Cursor>[] = [
  {
    name: "Job",
    cell: (cursor) => (
      <Link
        to="/dags/$name"
        params={{ name: cursor.dag }}
        search={{ tab: "jobs" }}
        className="font-medium hover:underline"
      >
        {cursor.dag} / {cursor.job}
      </Link>
    ),
  },
  {
    name: "Behind",
    cell: (cursor) =>
      cursor.behind === 0 ? (
        <StatusBadge status="up to date" tone="ok" />
      ) : (
        <StatusBadge
          status={`${formatCount(cursor.behind)}${cursor.behind >= MAX_BEHIND ? " or more" : ""} events`}
          tone="warn"
        />
      ),
  },
  { name: "Read", cell: (cursor) => <Time at={cursor.updated_at} /> },
];

/** The jobs that read the dataset, and how far each has read. */
export function Readers({ name }: { name: string }) {
  const cursors = useCursors(name);
  return (
    <Panel flush>
      <Loaded read={cursors}>
        {() => (
          <DataTable
            label="Readers"
            rows={cursors.rows}
            columns={COLUMNS}
            rowKey={(cursor) => cursor.job_key}
            more={{ has: cursors.hasNextPage, busy: cursors.isFetchingNextPage, load: cursors.fetchNextPage }}
            empty={<Empty title="No job has read this version yet." />}
          />
        )}
      </Loaded>
    </Panel>
  );
}
