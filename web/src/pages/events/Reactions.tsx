import { Link } from "@tanstack/react-router";

import { useReactions } from "../../api/events";
import type { Reaction } from "../../api/schema";
import { Button } from "../../ui/Button";
import { DataTable, type Column } from "../../ui/DataTable";
import { Panel } from "../../ui/Page";
import { Empty, Loaded } from "../../ui/States";
import { StatusBadge, type Tone } from "../../ui/Status";

const TONES: Record<string, Tone> = { triggered: "ok", paused: "warn" };

const COLUMNS: Column<Reaction>[] = [
  {
    name: "Job",
    cell: (reaction) => (
      <Link
        to="/dags/$name"
        params={{ name: reaction.dag }}
        search={{ tab: "jobs" }}
        className="font-medium hover:underline"
      >
        {reaction.dag} / {reaction.job}
      </Link>
    ),
  },
  {
    name: "Reaction",
    cell: (reaction) => <StatusBadge status={reaction.reaction} tone={TONES[reaction.reaction] ?? "grey"} />,
  },
  { name: "Partition", cell: (reaction) => reaction.partition ?? "–" },
  { name: "Task", cell: (reaction) => <TaskLink reaction={reaction} /> },
  { name: "Why", cell: (reaction) => reaction.reason ?? "–", wide: true },
];

function TaskLink({ reaction }: { reaction: Reaction }) {
  if (reaction.task_id === null) return <span className="text-muted">none</span>;
  return (
    <Link to="/tasks/$taskId" params={{ taskId: reaction.task_id }} className="font-mono text-xs underline">
      {reaction.task_id.slice(-8)}
    </Link>
  );
}

/** What one event did to the jobs that read its dataset. */
export function Reactions({ eventId, close }: { eventId: string; close: () => void }) {
  const reactions = useReactions(eventId);
  return (
    <Panel title="Reactions to the event" flush aside={<Button onClick={close}>Close</Button>}>
      <Loaded read={reactions}>
        {(found) => (
          <DataTable
            label="Reactions"
            rows={found.items}
            columns={COLUMNS}
            rowKey={(reaction) => `${reaction.job_id} ${reaction.partition ?? ""}`}
            empty={<Empty title="No job reads this dataset." />}
          />
        )}
      </Loaded>
    </Panel>
  );
}
