import { useMutation } from "@tanstack/react-query";

import { call, download } from "./client";
import type { QueryRequest } from "./schema";

/** Runs one SELECT; a new one ends the one before. */
export function useRunQuery() {
  return useMutation({ mutationFn: (body: QueryRequest) => call("POST /v1/query", { body }) });
}

/** Runs one SELECT and saves its rows as a file. */
export function useExportQuery() {
  return useMutation({
    mutationFn: (body: QueryRequest) =>
      download("POST /v1/query/export", { body: { ...body, format: "csv" } }, "result.csv"),
  });
}
