import { useRead } from "./query";

/** What the org has with this name or id. */
export function useSearch(text: string) {
  return useRead("GET /v1/search", { query: { q: text } }, { key: ["search", text], enabled: text !== "" });
}
