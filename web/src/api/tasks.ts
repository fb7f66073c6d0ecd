import { usePages } from "./query";
import type { TaskSummary } from "./schema";

/** The tasks of a run in the order in which they were created. */
export function useRunTasks(runId: string) {
  return usePages<"GET /v1/runs/{run_id}/tasks", TaskSummary>(
    "GET /v1/runs/{run_id}/tasks",
    { path: { run_id: runId }, query: { limit: 100, sort: "created_at" } },
    { key: ["run", runId, "tasks"], cursor: "after" },
  );
}
