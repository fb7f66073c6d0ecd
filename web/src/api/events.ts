import type { QueryOf } from "./client";
import { useChange, usePages, useRead } from "./query";
import type { Backfill, BackfillTask, Event } from "./schema";

const BACKFILLS = [["backfills"]];

export function useEvents(dataset: string | undefined) {
  return usePages<"GET /v1/events", Event>("GET /v1/events", { query: { dataset, limit: 50 } }, {
    key: ["events", dataset],
    every: 3000,
  });
}

export function useReactions(eventId: string) {
  const parts = { path: { event_id: eventId }, query: { limit: 50 } };
  return useRead("GET /v1/events/{event_id}/reactions", parts, { key: ["reactions", eventId] });
}

export function useBackfills(query: QueryOf<"GET /v1/backfills">) {
  return usePages<"GET /v1/backfills", Backfill>("GET /v1/backfills", { query }, {
    key: ["backfills", query],
    every: 3000,
  });
}

export function useBackfill(id: string) {
  const parts = { path: { backfill_id: id } };
  return useRead("GET /v1/backfills/{backfill_id}", parts, { key: ["backfills", "one", id], every: 2000 });
}

export function useBackfillTasks(id: string) {
  return usePages<"GET /v1/backfills/{backfill_id}/tasks", BackfillTask>(
    "GET /v1/backfills/{backfill_id}/tasks",
    { path: { backfill_id: id }, query: { limit: 50 } },
    { key: ["backfills", "tasks", id], cursor: "after", every: 3000 },
  );
}

export function usePreviewBackfill() {
  return useChange("POST /v1/backfills/preview", []);
}

export function useStartBackfill() {
  return useChange("POST /v1/backfills", BACKFILLS);
}

export function usePauseBackfill() {
  return useChange("POST /v1/backfills/{backfill_id}/pause", BACKFILLS);
}

export function useResumeBackfill() {
  return useChange("POST /v1/backfills/{backfill_id}/resume", BACKFILLS);
}

export function useCancelBackfill() {
  return useChange("POST /v1/backfills/{backfill_id}/cancel", BACKFILLS);
}
