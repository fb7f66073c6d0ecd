import type { QueryOf } from "./client";
import { useChange, usePages, useRead } from "./query";
import type { WorkerStatus } from "./schema";

const KEYS = [["workers"], ["status"]];

export function useWorkers(status: QueryOf<"GET /v1/workers">["status"]) {
  const parts = { query: { limit: 100, status } };
  return usePages<"GET /v1/workers", WorkerStatus>("GET /v1/workers", parts, {
    key: ["workers", status ?? "all"],
    cursor: "after",
    every: 5000,
  });
}

export function useWorker(name: string) {
  return useRead("GET /v1/workers/{name}", { path: { name } }, { key: ["workers", "one", name], every: 5000 });
}

export function useWorkerLogs(name: string) {
  const parts = { path: { name }, query: { limit: 500 } };
  return useRead("GET /v1/workers/{name}/logs", parts, { key: ["workers", "logs", name], every: 5000 });
}

export function useWorkerHistory(name: string) {
  const parts = { path: { name }, query: { limit: 20 } };
  return useRead("GET /v1/workers/{name}/history", parts, { key: ["workers", "history", name] });
}

export function useDrainWorker() {
  return useChange("POST /v1/workers/{name}/drain", KEYS);
}
