import { Link } from "@tanstack/react-router";

import { useQueues } from "../../api/queues";
import type { QueueStatus } from "../../api/schema";
import { DataTable, type Column } from "../../ui/DataTable";
import { Panel } from "../../ui/Page";
import { Empty, Loaded } from "../../ui/States";
import { StatusBadge } from "../../ui/Status";
import { formatCount, formatSeconds } from "../../ui/time";

const COLUMNS: Column<QueueStatus>[] = [
  { name: "Queue", cell: (queue) => <QueueLink name={queue.name} /> },
  { name: "", cell: (queue) => (queue.paused_at === null ? null : <StatusBadge status="paused" />) },
  { name: "Ready", cell: (queue) => formatCount(queue.ready), numeric: true },
  { name: "Running", cell: (queue) => formatCount(queue.running), numeric: true },
  {
    name: "Oldest",
    cell: (queue) => (queue.oldest_ready_seconds === null ? "–" : formatSeconds(queue.oldest_ready_seconds)),
    numeric: true,
  },
];

function QueueLink({ name }: { name: string }) {
  return (
    <Link to="/tasks" search={{ queue: name }} className="font-medium hover:underline">
      {name}
    </Link>
  );
}

export function Queues() {
  const queues = useQueues();
  return (
    <Panel title="Queues" flush>
      <Loaded read={queues}>
        {(found) => (
          <DataTable
            label="Queues"
            rows={found.items}
            columns={COLUMNS}
            rowKey={(queue) => queue.name}
            empty={<Empty title="There are no queues yet; the first task creates one." />}
          />
        )}
      </Loaded>
    </Panel>
  );
}
