import { useQuery } from "@tanstack/react-query";

import { call, type QueryOf } from "./client";
import { usePages, useRead } from "./query";
import type { Cursor, Dataset, DatasetVersion, Partition } from "./schema";

export function useDatasets(enabled = true) {
  return usePages<"GET /v1/datasets", Dataset>("GET /v1/datasets", { query: { limit: 100 } }, {
    key: ["datasets"],
    cursor: "after",
    every: 10_000,
    enabled,
  });
}

export function useDataset(name: string) {
  return useRead("GET /v1/datasets/{name}", { path: { name } }, { key: ["datasets", name], every: 5000 });
}

export function useDatasetVersions(name: string) {
  return usePages<"GET /v1/datasets/{name}/versions", DatasetVersion>(
    "GET /v1/datasets/{name}/versions",
    { path: { name }, query: { limit: 50 } },
    { key: ["datasets", name, "versions"], every: 10_000 },
  );
}

/** The committed partitions of the current version, or of another one. */
export function usePartitions(name: string, versionId: string | undefined) {
  return usePages<"GET /v1/datasets/{name}/partitions", Partition>(
    "GET /v1/datasets/{name}/partitions",
    { path: { name }, query: { limit: 200, version_id: versionId } },
    { key: ["datasets", name, "partitions", versionId], cursor: "after", every: 5000 },
  );
}

/** The jobs that read a dataset, and how far each has read. */
export function useCursors(name: string) {
  return usePages<"GET /v1/datasets/{name}/cursors", Cursor>(
    "GET /v1/datasets/{name}/cursors",
    { path: { name }, query: { limit: 50 } },
    { key: ["datasets", name, "cursors"], cursor: "after", every: 5000 },
  );
}

export function useLineage(query: QueryOf<"GET /v1/lineage">) {
  return useRead("GET /v1/lineage", { query }, { key: ["datasets", query.dataset, "lineage", query] });
}

/** The first rows of a dataset. A query is read once, because each one is written to the audit log. */
export function usePreview(name: string, versionId: string | undefined) {
  return useQuery({
    queryKey: ["preview", name, versionId],
    queryFn: ({ signal }) =>
      call("POST /v1/query", {
        body: { sql: `select * from "${name}" limit 50`, as_of: versionId ?? null, max_rows: 50 },
        signal,
      }),
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    retry: false,
  });
}
