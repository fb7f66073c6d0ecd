import type { QueryOf } from "./client";
import { useChange, usePages } from "./query";
import type { Alert, AlertRule } from "./schema";

const CHANGED = [["alerts"], ["alert rules"]];

export function useAlerts(status: QueryOf<"GET /v1/alerts">["status"], enabled = true) {
  return usePages<"GET /v1/alerts", Alert>("GET /v1/alerts", { query: { status, limit: 50 } }, {
    key: ["alerts", status],
    enabled,
    every: 5000,
  });
}

export function useAlertRules() {
  return usePages<"GET /v1/alert-rules", AlertRule>("GET /v1/alert-rules", { query: { limit: 100 } }, {
    key: ["alert rules"],
    cursor: "after",
    every: 10_000,
  });
}

export function useAcknowledge() {
  return useChange("POST /v1/alerts/{alert_id}/acknowledge", CHANGED);
}

export function useSetAlertRule() {
  return useChange("PUT /v1/alert-rules/{name}", CHANGED);
}

export function useSilenceRule() {
  return useChange("POST /v1/alert-rules/{name}/silence", CHANGED);
}

export function useDeleteRule() {
  return useChange("DELETE /v1/alert-rules/{name}", CHANGED);
}
