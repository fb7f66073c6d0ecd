import { useRead } from "./query";

/** The numbers of the org. */
export function useStatus() {
  return useRead("GET /v1/status", {}, { key: ["status"], every: 5000 });
}

export function useDispatchers() {
  return useRead("GET /v1/dispatchers", {}, { key: ["dispatchers"], every: 10_000 });
}
