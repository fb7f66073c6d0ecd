import { Link } from "@tanstack/react-router";

import { useRunGraph } from "../../api/runs";
import type { RunGraphNode } from "../../api/schema";
import { DataTable, type Column } from "../../ui/DataTable";
import { Panel } from "../../ui/Page";
import { Empty, Loaded } from "../../ui/States";
import { StatusBadge } from "../../ui/Status";
import { Duration, Time } from "../../ui/Time";

interface Child {
  task: RunGraphNode;
  parent: RunGraphNode | undefined;
}

const COLUMNS: Column<Child>[] = [
  { name: "State", cell: ({ task }) => <StatusBadge status={task.status} /> },
  { name: "Task", cell: ({ task }) => <TaskLink id={task.task_id} name={task.name ?? task.type} /> },
  {
    name: "Started by",
    cell: ({ task, parent }) => (
      <TaskLink id={task.parent_id ?? ""} name={parent?.name ?? parent?.type ?? "a task not shown"} />
    ),
  },
  { name: "Attempt", cell: ({ task }) => task.attempt, numeric: true, wide: true },
  { name: "Began", cell: ({ task }) => <Time at={task.started_at} />, wide: true },
  { name: "Took", cell: ({ task }) => <Duration from={task.started_at} until={task.completed_at} /> },
];

function TaskLink({ id, name }: { id: string; name: string }) {
  return (
    <Link to="/tasks/$taskId" params={{ taskId: id }} className="hover:underline">
      {name}
    </Link>
  );
}

/** The tasks that tasks of the run started while they ran. */
export function RunChildren({ runId, open }: { runId: string; open: boolean }) {
  const graph = useRunGraph(runId, open);
  return (
    <Panel flush>
      <Loaded read={graph}>
        {(found) => (
          <DataTable
            label="Children"
            rows={childrenOf(found.items)}
            columns={COLUMNS}
            rowKey={(child) => child.task.task_id}
            empty={<Empty title="No task of the run has started a child task. ctx.start(…) starts one." />}
          />
        )}
      </Loaded>
    </Panel>
  );
}

function childrenOf(tasks: RunGraphNode[]): Child[] {
  const known = new Map(tasks.map((task) => [task.task_id, task]));
  return tasks
    .filter((task) => task.parent_id !== null)
    .map((task) => ({ task, parent: known.get(task.parent_id ?? "") }));
}
