import { Link, useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";

import { useDataset, useDatasetVersions } from "../../api/datasets";
import { useJob } from "../../api/dags";
import type { DatasetVersion, WholeDataset } from "../../api/schema";
import { useMay } from "../../api/session";
import { Button } from "../../ui/Button";
import { Copy, shortId } from "../../ui/Copy";
import { Choice } from "../../ui/Filters";
import { Facts, Page, Panel } from "../../ui/Page";
import { Loaded, Loading } from "../../ui/States";
import { Tabs } from "../../ui/Tabs";
import { Time } from "../../ui/Time";
import { StartBackfill } from "../backfills/StartBackfill";
import { outputOf } from "./output";
import { Partitions } from "./Partitions";
import { Preview } from "./Preview";
import { Readers } from "./Readers";
import { datasetRoute, type DatasetSearch, type DatasetTab } from "./route";
import { Schema } from "./Schema";
import { Versions } from "./Versions";

// The graph is the largest part of the page; it is loaded when it is shown.
const Lineage = lazy(() => import("./Lineage").then((module) => ({ default: module.Lineage })));

const TABS: readonly (readonly [DatasetTab, string])[] = [
  ["partitions", "Partitions"],
  ["versions", "Versions"],
  ["schema", "Schema and checks"],
  ["lineage", "Lineage"],
  ["readers", "Readers"],
  ["preview", "Preview"],
];

export function DatasetPage() {
  const { name } = datasetRoute.useParams();
  const search = datasetRoute.useSearch();
  const { tab = "partitions", version } = search;
  const navigate = useNavigate({ from: "/datasets/$name" });
  const dataset = useDataset(name);
  const versions = useDatasetVersions(name);
  const mayBackfill = useMay("backfills:write");
  const [starting, setStarting] = useState(false);
  const change = (next: Partial<DatasetSearch>) =>
    void navigate({ search: (old: DatasetSearch) => ({ ...old, ...next }), replace: true });
  return (
    <Page
      title={name}
      about="Dataset"
      actions={
        <>
          <Choice
            label="Version"
            all="current"
            options={versions.rows.filter((row) => !row.is_current).map((row) => [row.id, nameOf(row)] as const)}
            value={version}
            onChange={(next) => change({ version: next })}
          />
          {mayBackfill && <Button onClick={() => setStarting(true)}>Start a backfill</Button>}
          {starting && <StartBackfill dataset={name} close={() => setStarting(false)} />}
        </>
      }
    >
      <Loaded read={dataset}>
        {(found) => (
          <>
            <Summary dataset={found} />
            <Tabs label="Parts of the dataset" tabs={TABS} value={tab} onChange={(next) => change({ tab: next })} />
            {tab === "partitions" && <Partitions name={name} version={version} />}
            {tab === "versions" && <Versions versions={versions} />}
            {tab === "schema" && <Schema dataset={found} />}
            {tab === "lineage" && (
              <Suspense fallback={<Loading />}>
                <Lineage dataset={found} search={search} change={change} />
              </Suspense>
            )}
            {tab === "readers" && <Readers name={name} />}
            {tab === "preview" && <Preview name={name} version={version} />}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function nameOf(version: DatasetVersion): string {
  return `DAG version ${version.dag_versions.join(", ") || "–"} (${shortId(version.id)})`;
}

function Summary({ dataset }: { dataset: WholeDataset }) {
  const job = useJob(dataset.dag, dataset.job);
  const output = outputOf(job.data, dataset);
  return (
    <Panel>
      {output?.description != null && <p className="mb-3 text-sm">{output.description}</p>}
      <div className="grid gap-4 md:grid-cols-2">
        <Facts
          facts={[
            [
              "Published by",
              <Link key="job" to="/dags/$name" params={{ name: dataset.dag }} className="underline">
                {dataset.job === null ? dataset.dag : `${dataset.dag} / ${dataset.job}`}
              </Link>,
            ],
            ["Read by", dataset.read_roles.length === 0 ? "admins only" : dataset.read_roles.join(", ")],
            ["Partitioned", output === null ? null : output.partitioned],
          ]}
        />
        <Facts
          facts={[
            ["Changed", <Time key="changed" at={dataset.updated_at} />],
            ["Current version", dataset.version_id === null ? "none yet" : <Copy key="id" text={dataset.version_id} />],
            ["Stored as", storedAs(dataset)],
          ]}
        />
      </div>
    </Panel>
  );
}

function storedAs(dataset: WholeDataset): string | null {
  if (dataset.storage === null) return null;
  const { kind, format } = dataset.storage;
  return [kind, format].filter((part) => typeof part === "string").join(", ");
}
