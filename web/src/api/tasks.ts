import { useQuery } from "@tanstack/react-query";

import { isFinal } from "../ui/Status";
import { call, type QueryOf } from "./client";
import { useChange, usePages, useRead } from "./query";
import type { TaskSummary } from "./schema";

/** The tasks of a run in the order in which they were created. */
export function useRunTasks(runId: string) {
  return usePages<"GET /v1/runs/{run_id}/tasks", TaskSummary>(
    "GET /v1/runs/{run_id}/tasks",
    { path: { run_id: runId }, query: { limit: 100, sort: "created_at" } },
    { key: ["run", runId, "tasks"], cursor: "after" },
  );
}

export type TaskQuery = QueryOf<"GET /v1/tasks">;

/** The tasks that match, newest first. */
export function useTasks(query: TaskQuery) {
  return usePages<"GET /v1/tasks", TaskSummary>("GET /v1/tasks", { query }, { key: ["tasks", query], every: 10_000 });
}

/** One task with its attempts, steps and signals; asked again every two seconds until it ends. */
export function useTaskDetails(taskId: string) {
  return useQuery({
    queryKey: ["task", taskId],
    queryFn: ({ signal }) => call("GET /v1/tasks/{task_id}/details", { path: { task_id: taskId }, signal }),
    refetchInterval: (query) => (isFinal(query.state.data?.task.status ?? "") ? false : 2000),
  });
}

export function useWhy(taskId: string, enabled: boolean) {
  const parts = { path: { task_id: taskId } };
  return useRead("GET /v1/tasks/{task_id}/why", parts, { key: ["task", taskId, "why"], every: 3000, enabled });
}

export function useTaskTree(taskId: string) {
  const parts = { path: { task_id: taskId } };
  return useRead("GET /v1/tasks/{task_id}/tree", parts, { key: ["task", taskId, "tree"] });
}

export function useTaskLogs(taskId: string, open: boolean) {
  const parts = { path: { task_id: taskId }, query: { limit: 1000 } };
  return useRead("GET /v1/tasks/{task_id}/logs", parts, { key: ["task", taskId, "logs"], every: open ? 2000 : false });
}

export function useCancelTask() {
  return useChange("POST /v1/tasks/{task_id}/cancel", [["tasks"], ["task"], ["run"]]);
}

/** Retries the run of a task from this task on. */
export function useRetryTask() {
  return useChange("POST /v1/tasks/{task_id}/retry", [["tasks"], ["task"], ["runs"], ["run"]]);
}
