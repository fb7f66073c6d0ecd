import type { QueryOf } from "./client";
import { useChange, usePages, useRead } from "./query";
import type { EffectSummary } from "./schema";

export type EffectStatus = NonNullable<QueryOf<"GET /v1/outbox">["status"]>;

export function useEffects(status: EffectStatus | undefined, kind: string | undefined) {
  const parts = { query: { limit: 50, status, kind } };
  return usePages<"GET /v1/outbox", EffectSummary>("GET /v1/outbox", parts, {
    key: ["outbox", status ?? "", kind ?? ""],
    every: 5000,
  });
}

export function useDestinations(enabled = true) {
  return useRead("GET /v1/destinations", { query: { limit: 100 } }, { key: ["destinations"], enabled });
}

export function useReplay() {
  return useChange("POST /v1/outbox/replay", [["outbox"], ["status"]]);
}
