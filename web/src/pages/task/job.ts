import type { TaskStatus } from "../../api/schema";

export interface Job {
  dag: string;
  name: string;
  version: number;
}

/** The job that a task of an operator runs, as its input states it; null for other tasks. */
export function jobOf(task: TaskStatus): Job | null {
  if (!task.type.startsWith("tenuto.") || typeof task.input !== "object" || task.input === null) return null;
  const { job } = task.input as { job?: { dag?: unknown; job?: unknown; version?: unknown } };
  const { dag, job: name, version } = job ?? {};
  if (typeof dag !== "string" || typeof name !== "string" || typeof version !== "number") return null;
  return { dag, name, version };
}
