import { useChange, useRead } from "./query";

export function useQueues() {
  return useRead("GET /v1/queues", {}, { key: ["queues"], every: 5000 });
}

export function usePauseQueue() {
  return useChange("POST /v1/queues/{name}/pause", [["queues"]]);
}

export function useResumeQueue() {
  return useChange("POST /v1/queues/{name}/resume", [["queues"]]);
}
