import { useQueries } from "@tanstack/react-query";

import { call } from "./client";
import { useDatasets } from "./datasets";
import { usePages } from "./query";
import type { Dataset, TaskTypeSummary } from "./schema";
import { useMay } from "./session";

const MINUTE_MS = 60_000;
const OF_JOBS = "tenuto.python."; // before the name of a function that only jobs run

/** The names of the datasets that may be read, for completion. */
export function useDatasetList(): Dataset[] {
  const mayRead = useMay("datasets:read");
  return useDatasets(mayRead).rows;
}

/** The declared columns of these datasets by name; none for datasets whose job is not known. */
export function useColumns(datasets: Dataset[]): Map<string, string[]> {
  const mayRead = useMay("jobs:read");
  const found = useQueries({
    queries: datasets.map((dataset) => ({
      queryKey: ["jobs", dataset.dag, dataset.job],
      queryFn: () => call("GET /v1/jobs/{dag}/{name}", { path: { dag: dataset.dag, name: dataset.job ?? "" } }),
      enabled: mayRead && dataset.job !== null,
      staleTime: MINUTE_MS,
    })),
  });
  return new Map(datasets.map((dataset, index) => [dataset.name, columnsOf(found[index]?.data?.definition, dataset)]));
}

function columnsOf(definition: Record<string, unknown> | undefined, dataset: Dataset): string[] {
  const outputs = definition?.outputs as { columns?: { name: string }[] | null }[] | undefined;
  const output = Array.isArray(outputs) ? outputs[dataset.output ?? 0] : undefined;
  return (output?.columns ?? []).map((column) => column.name);
}

/** The task types that workers have declared, without those of operators. */
export function useTypeNames(): string[] {
  return useDeclaredTypes().filter((type) => !type.startsWith("tenuto."));
}

/** The functions that workers have declared for jobs: tasks, and functions that only jobs run. */
export function useFunctionNames(): string[] {
  return useDeclaredTypes().map((type) => (type.startsWith(OF_JOBS) ? type.slice(OF_JOBS.length) : type));
}

function useDeclaredTypes(): string[] {
  const mayRead = useMay("tasks:read");
  const types = usePages<"GET /v1/types", TaskTypeSummary>("GET /v1/types", { query: { limit: 200 } }, {
    key: ["types"],
    cursor: "after",
    enabled: mayRead,
  });
  return types.rows.map((type) => type.type);
}
