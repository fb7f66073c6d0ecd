import type { QueryOf } from "./client";
import { useRead } from "./query";

/** The numbers of the org. */
export function useStatus() {
  return useRead("GET /v1/status", {}, { key: ["status"], every: 5000 });
}

/** Why nothing runs on this database, which is a copy of an installation; null if it is not. Read rarely: every page
 * shows it. */
export function useCopyProblem(): string | null {
  const status = useRead("GET /v1/status", {}, { key: ["copy of the database"], every: 60_000 });
  return status.data?.copy_problem ?? null;
}

export function useDispatchers() {
  return useRead("GET /v1/dispatchers", {}, { key: ["dispatchers"], every: 10_000 });
}

/** How much ended over time, and how long it took. The rollups that it reads are made every few seconds. */
export function useRates(period: NonNullable<QueryOf<"GET /v1/rates">["period"]>, limit: number) {
  const parts = { query: { period, limit } };
  return useRead("GET /v1/rates", parts, { key: ["over time", period, limit], every: 10_000 });
}

/** Task types with their open tasks and their ends of the last day. */
export function useActivity() {
  return useRead("GET /v1/activity", { query: { limit: 100 } }, { key: ["activity"], every: 10_000 });
}
