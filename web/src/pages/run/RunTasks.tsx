import { useRunTasks } from "../../api/tasks";
import type { TaskSummary } from "../../api/schema";
import { Copy, shortId } from "../../ui/Copy";
import { DataTable, type Column } from "../../ui/DataTable";
import { errorText } from "../../ui/Json";
import { Panel } from "../../ui/Page";
import { Empty, Loaded } from "../../ui/States";
import { StatusBadge } from "../../ui/Status";
import { Duration, Time } from "../../ui/Time";

const COLUMNS: Column<TaskSummary>[] = [
  { name: "State", cell: (task) => <StatusBadge status={task.status} /> },
  { name: "Task", cell: (task) => <span className="font-medium">{task.name ?? task.type}</span> },
  { name: "Type", cell: (task) => task.type, wide: true },
  { name: "Id", cell: (task) => <Copy text={task.id} shown={shortId(task.id)} />, wide: true },
  { name: "Attempt", cell: (task) => `${task.attempt} of ${task.max_attempts}`, numeric: true },
  { name: "Worker", cell: (task) => task.worker_id ?? "–", wide: true },
  { name: "Started", cell: (task) => <Time at={task.started_at} /> },
  { name: "Took", cell: (task) => <Duration from={task.started_at} until={task.completed_at} />, numeric: true },
  {
    name: "Error",
    cell: (task) => <span className="line-clamp-1 text-bad">{errorText(task.error)}</span>,
    wide: true,
  },
];

export function RunTasks({ runId }: { runId: string }) {
  const tasks = useRunTasks(runId);
  return (
    <Panel flush>
      <Loaded read={tasks}>
        {() => (
          <DataTable
            label="Tasks of the run"
            rows={tasks.rows}
            columns={COLUMNS}
            rowKey={(task) => task.id}
            more={{ has: tasks.hasNextPage, busy: tasks.isFetchingNextPage, load: tasks.fetchNextPage }}
            empty={<Empty title="The run has no tasks." />}
          />
        )}
      </Loaded>
    </Panel>
  );
}
