import { Link } from "@tanstack/react-router";

import type { TaskSummary } from "../../api/schema";
import { Copy, shortId } from "../../ui/Copy";
import type { Column } from "../../ui/DataTable";
import { errorText } from "../../ui/Json";
import { StatusBadge } from "../../ui/Status";
import { Duration, Time } from "../../ui/Time";

/** The columns of every list of tasks. */
export const TASK_COLUMNS: Column<TaskSummary>[] = [
  { name: "State", cell: (task) => <StatusBadge status={task.status} /> },
  {
    name: "Task",
    cell: (task) => (
      <span className="flex items-baseline gap-2">
        <Link to="/tasks/$taskId" params={{ taskId: task.id }} className="line-clamp-1 font-medium hover:underline">
          {task.name ?? task.job ?? task.type}
        </Link>
        {task.partition !== null && <span className="text-xs whitespace-nowrap text-muted">{task.partition}</span>}
      </span>
    ),
    className: "max-w-80",
  },
  { name: "Queue", cell: (task) => task.queue, wide: true },
  { name: "Id", cell: (task) => <Copy text={task.id} shown={shortId(task.id)} />, wide: true },
  { name: "Attempt", cell: (task) => `${task.attempt} of ${task.max_attempts}`, numeric: true, wide: true },
  { name: "Worker", cell: (task) => task.worker_id ?? "–", wide: true, className: "max-w-48 truncate" },
  { name: "Started", cell: (task) => <Time at={task.started_at} /> },
  { name: "Took", cell: (task) => <Duration from={task.started_at} until={task.completed_at} />, numeric: true },
  {
    name: "Error",
    cell: (task) => <span className="line-clamp-1 text-bad">{errorText(task.error)}</span>,
    wide: true,
    className: "max-w-72",
  },
];
