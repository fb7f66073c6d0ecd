import { useChange, usePages, useRead } from "./query";
import type { LimitStatus } from "./schema";

export function useQueues() {
  return useRead("GET /v1/queues", {}, { key: ["queues"], every: 5000 });
}

export function usePauseQueue() {
  return useChange("POST /v1/queues/{name}/pause", [["queues"]]);
}

export function useResumeQueue() {
  return useChange("POST /v1/queues/{name}/resume", [["queues"]]);
}

export function useLimits() {
  const parts = { query: { limit: 100 } };
  return usePages<"GET /v1/limits", LimitStatus>("GET /v1/limits", parts, {
    key: ["queues", "limits"],
    cursor: "after",
    every: 10_000,
  });
}

export function useSetLimit() {
  return useChange("PUT /v1/limits/{scope}/{key}", [["queues"]]);
}

export function useResetLimit() {
  return useChange("DELETE /v1/limits/{scope}/{key}", [["queues"]]);
}
