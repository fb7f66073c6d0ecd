import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { call } from "./client";
import { useChange, usePages, useRead } from "./query";
import type { DagSummary, DagVersion, DeployEntry, JobSummary } from "./schema";

const CHANGED = [["dags"], ["jobs"], ["datasets"]];

export function useDags() {
  return usePages<"GET /v1/dags", DagSummary>("GET /v1/dags", { query: { limit: 100 } }, {
    key: ["dags"],
    cursor: "after",
    every: 10_000,
  });
}

/** The current version of a DAG with its YAML; before the first cutover, the newest. */
export function useDag(name: string) {
  return useRead("GET /v1/dags/{name}", { path: { name } }, { key: ["dags", name], every: 10_000 });
}

export function useDagVersion(name: string, version: number | undefined) {
  const parts = { path: { name, version: version ?? 1 } };
  return useRead("GET /v1/dags/{name}/versions/{version}", parts, {
    key: ["dags", name, "version", version],
    enabled: version !== undefined,
  });
}

/** Asked often while a version is built, so that its progress moves. */
export function useDagVersions(name: string) {
  return usePages<"GET /v1/dags/{name}/versions", DagVersion>(
    "GET /v1/dags/{name}/versions",
    { path: { name }, query: { limit: 50 } },
    { key: ["dags", name, "versions"], every: 3000 },
  );
}

export function useDagHistory(name: string) {
  return usePages<"GET /v1/dags/{name}/history", DeployEntry>(
    "GET /v1/dags/{name}/history",
    { path: { name }, query: { limit: 50 } },
    { key: ["dags", name, "history"], every: 10_000 },
  );
}

export function useDagDiff(name: string, versions: { old: number; new: number } | null) {
  const parts = { path: { name }, query: versions ?? { old: 1, new: 1 } };
  return useRead("GET /v1/dags/{name}/diff", parts, {
    key: ["dags", name, "diff", versions],
    enabled: versions !== null,
  });
}

/** The jobs of a document and what they read, to draw them. The same text has the same graph. */
export function useDagGraph(name: string, yaml: string) {
  return useQuery({
    queryKey: ["dag graph", name, yaml],
    queryFn: ({ signal }) => call("POST /v1/dags/{name}/graph", { path: { name }, body: { yaml }, signal }),
    enabled: yaml !== "",
    staleTime: Infinity,
    retry: false,
  });
}

/** What a deploy of this document would do; an invalid document fails with all of its problems. */
export function useDagPlan(name: string, yaml: string) {
  return useQuery({
    queryKey: ["dags", name, "plan", yaml],
    queryFn: ({ signal }) => call("POST /v1/dags/{name}/plan", { path: { name }, body: { yaml }, signal }),
    enabled: yaml !== "",
    retry: false,
  });
}

export function useDeployDag() {
  return useChange("POST /v1/dags/{name}/versions", CHANGED);
}

/** Deletes a DAG with its datasets; with `dry_run` only tells what would go. */
export function useDeleteDag() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ name, dryRun }: { name: string; dryRun: boolean }) =>
      call("DELETE /v1/dags/{name}", { path: { name }, query: { dry_run: dryRun } }),
    onSuccess: (_, { dryRun }) =>
      dryRun ? undefined : Promise.all(CHANGED.map((key) => client.invalidateQueries({ queryKey: key, exact: true }))),
  });
}

export function useCutoverDag() {
  return useChange("POST /v1/dags/{name}/cutover", CHANGED);
}

export function useRollbackDag() {
  return useChange("POST /v1/dags/{name}/rollback", CHANGED);
}

export function useJobs(dag: string) {
  return usePages<"GET /v1/jobs", JobSummary>("GET /v1/jobs", { query: { dag, limit: 200 } }, {
    key: ["jobs", dag],
    cursor: "after",
    every: 5000,
  });
}

export function useJob(dag: string, name: string | null) {
  return useRead("GET /v1/jobs/{dag}/{name}", { path: { dag, name: name ?? "" } }, {
    key: ["jobs", dag, name],
    enabled: name !== null,
  });
}

export function usePauseJob() {
  return useChange("POST /v1/jobs/{dag}/{name}/pause", [["jobs"]]);
}

export function useResumeJob() {
  return useChange("POST /v1/jobs/{dag}/{name}/resume", [["jobs"]]);
}

export function useTriggerJob() {
  return useChange("POST /v1/jobs/{dag}/{name}/trigger", [["jobs"], ["tasks"], ["runs"]]);
}
