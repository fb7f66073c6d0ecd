import { useChange, usePages } from "./query";
import type { Schedule } from "./schema";

const KEYS = [["schedules"]];

export function useSchedules() {
  const parts = { query: { limit: 100 } };
  return usePages<"GET /v1/schedules", Schedule>("GET /v1/schedules", parts, {
    key: ["schedules"],
    cursor: "after",
    every: 10_000,
  });
}

export function usePauseSchedule() {
  return useChange("POST /v1/schedules/{name}/pause", KEYS);
}

export function useResumeSchedule() {
  return useChange("POST /v1/schedules/{name}/resume", KEYS);
}

export function useRunSchedule() {
  return useChange("POST /v1/schedules/{name}/run", [["schedules"], ["runs"]]);
}

export function useDeleteSchedule() {
  return useChange("DELETE /v1/schedules/{name}", KEYS);
}

export function usePutSchedule() {
  return useChange("PUT /v1/schedules/{name}", KEYS);
}
