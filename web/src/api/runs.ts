import { useInfiniteQuery, useQuery } from "@tanstack/react-query";

import { isFinal } from "../ui/Status";
import { call, download, type QueryOf } from "./client";
import { useChange, usePages, useRead } from "./query";
import type { RunSummary } from "./schema";

export type RunQuery = QueryOf<"GET /v1/runs">;

/** The runs that match, newest first. */
export function useRuns(query: RunQuery) {
  return usePages<"GET /v1/runs", RunSummary>("GET /v1/runs", { query }, { key: ["runs", query], every: 10_000 });
}

/** How many runs match. Its key is not that of the list: a count of thousands takes 100 ms, and lists are read again
 * with every change. */
export function useCountRuns(query: RunQuery, enabled: boolean) {
  const counted = { ...query, count: true, limit: 1 };
  return useRead("GET /v1/runs", { query: counted }, { key: ["run count", query], enabled, every: 10_000 });
}

export function useStartRun() {
  return useChange("POST /v1/runs", [["runs"], ["status"]]);
}

/** Saves a run as a file, with its input, output and errors. */
export function downloadRun(runId: string): Promise<void> {
  return download("GET /v1/runs/{run_id}", { path: { run_id: runId }, query: {} }, `run-${runId}.json`);
}

export function useCancelRun() {
  return useChange("POST /v1/runs/{run_id}/cancel", [["runs"], ["run"]]);
}

export function useRetryRun() {
  return useChange("POST /v1/runs/{run_id}/retry", [["runs"], ["run"]]);
}

export function useCancelRuns() {
  return useChange("POST /v1/runs/cancel", [["runs"], ["run count"], ["status"]]);
}

export function useRetryRuns() {
  return useChange("POST /v1/runs/retry", [["runs"], ["run count"], ["status"]]);
}

/** One run; asked again every two seconds until it ends, because tasks that start send no change. */
export function useRun(runId: string) {
  return useQuery({
    queryKey: ["run", runId],
    queryFn: ({ signal }) => call("GET /v1/runs/{run_id}", { path: { run_id: runId }, query: {}, signal }),
    refetchInterval: (query) => (query.state.data !== undefined && isFinal(query.state.data.status) ? false : 2000),
  });
}

export function useRunData(runId: string) {
  const parts = { path: { run_id: runId }, query: { limit: 200 } };
  return useRead("GET /v1/runs/{run_id}/data", parts, { key: ["run", runId, "data"] });
}

const LOG_LINES = 500;
type LogPosition = QueryOf<"GET /v1/runs/{run_id}/logs">;

/** The log lines of a run, oldest first, in pages. */
export function useRunLogs(runId: string, open: boolean) {
  const pages = useInfiniteQuery({
    queryKey: ["run", runId, "logs"],
    queryFn: ({ pageParam, signal }: { pageParam: LogPosition; signal: AbortSignal }) =>
      call("GET /v1/runs/{run_id}/logs", {
        path: { run_id: runId },
        query: { limit: LOG_LINES, ...pageParam },
        signal,
      }),
    initialPageParam: {},
    getNextPageParam: (last): LogPosition | undefined => {
      const line = last.items.at(-1);
      if (line === undefined || last.items.length < LOG_LINES) return undefined;
      const { logged_at: after, task_id: after_task, attempt: after_attempt, line_no: after_line } = line;
      return { after, after_task, after_attempt, after_line };
    },
    refetchInterval: open ? 2000 : false,
  });
  return { ...pages, rows: pages.data?.pages.flatMap((page) => page.items) ?? [] };
}

/** The tasks of a run with their states and dependencies. */
export function useRunGraph(runId: string, open: boolean) {
  const parts = { path: { run_id: runId }, query: { limit: 2000 } };
  const every = open ? 2000 : false;
  return useRead("GET /v1/runs/{run_id}/graph", parts, { key: ["run", runId, "graph"], every });
}

/** The attempts of all tasks of a run, in the order in which they began. */
export function useRunAttempts(runId: string, open: boolean) {
  const parts = { path: { run_id: runId }, query: { limit: 2000 } };
  const every = open ? 2000 : false;
  return useRead("GET /v1/runs/{run_id}/attempts", parts, { key: ["run", runId, "attempts"], every });
}

/** The signals that tasks of an open run wait for. */
export function useAwaitedSignals(runId: string, open: boolean) {
  const options = { key: ["run", runId, "signals"], enabled: open, every: 2000 };
  return useRead("GET /v1/runs/{run_id}/awaited-signals", { path: { run_id: runId } }, options);
}

export function useSendSignal() {
  return useChange("POST /v1/runs/{run_id}/signals", [["run"], ["task"]]);
}
