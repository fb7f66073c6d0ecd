import { usePages } from "./query";
import type { PoolStatus, ScalingDecision } from "./schema";

export function usePools() {
  return usePages<"GET /v1/pools", PoolStatus>("GET /v1/pools", { query: { limit: 100 } }, {
    key: ["workers", "pools"],
    cursor: "after",
    every: 5000,
  });
}

/** The decisions about the size of a pool, newest first, with their reasons. */
export function useScalingDecisions(name: string) {
  return usePages<"GET /v1/pools/{name}/decisions", ScalingDecision>(
    "GET /v1/pools/{name}/decisions",
    { path: { name }, query: { limit: 20 } },
    { key: ["workers", "decisions", name], every: 5000 },
  );
}
