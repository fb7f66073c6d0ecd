import type { RunGraphNode, TaskStatusName } from "../../api/schema";

const MIN_TASKS = 30; // smaller graphs are drawn task by task
const MIN_GROUP = 8;

export interface Group {
  id: string;
  tasks: [RunGraphNode, ...RunGraphNode[]];
}

/** Puts tasks of one type that depend on the same tasks, and that the same tasks depend on, into one group, as a fan of
 * a thousand has them. */
export function groupTasks(tasks: RunGraphNode[]): Group[] {
  const alone = (task: RunGraphNode): Group => ({ id: task.task_id, tasks: [task] });
  if (tasks.length < MIN_TASKS) return tasks.map(alone);
  const readers = new Map<string, string[]>();
  for (const task of tasks) {
    for (const parent of task.depends_on) readers.set(parent, [...(readers.get(parent) ?? []), task.task_id]);
  }
  const groups = new Map<string, Group>();
  for (const task of tasks) {
    const around = [[...task.depends_on].sort(), [...(readers.get(task.task_id) ?? [])].sort()];
    const key = JSON.stringify([task.type, task.parent_id, around]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, alone(task));
    else group.tasks.push(task);
  }
  return [...groups.values()].flatMap((group) => (group.tasks.length < MIN_GROUP ? group.tasks.map(alone) : [group]));
}

/** The state that a group is shown in: that of its task that needs most attention. */
export function statusOf(group: Group): TaskStatusName {
  const order: TaskStatusName[] =
    ["failed", "running", "retrying", "waiting", "queued", "pending", "cancelled", "skipped"];
  const present = new Set(group.tasks.map((task) => task.status));
  return order.find((status) => present.has(status)) ?? group.tasks[0].status;
}
