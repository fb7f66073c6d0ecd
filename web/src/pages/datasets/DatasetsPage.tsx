import { Link, useNavigate } from "@tanstack/react-router";

import { useDatasets } from "../../api/datasets";
import type { Dataset } from "../../api/schema";
import { Copy, shortId } from "../../ui/Copy";
import { DataTable, type Column } from "../../ui/DataTable";
import { Page, Panel } from "../../ui/Page";
import { Empty, Loaded } from "../../ui/States";
import { Time } from "../../ui/Time";

const COLUMNS: Column<Dataset>[] = [
  {
    name: "Dataset",
    cell: (dataset) => (
      <Link to="/datasets/$name" params={{ name: dataset.name }} className="font-medium hover:underline">
        {dataset.name}
      </Link>
    ),
  },
  {
    name: "Published by",
    cell: (dataset) => (
      <Link to="/dags/$name" params={{ name: dataset.dag }} className="hover:underline">
        {dataset.job === null ? dataset.dag : `${dataset.dag} / ${dataset.job}`}
      </Link>
    ),
  },
  {
    name: "Version",
    cell: (dataset) =>
      dataset.version_id === null ? (
        <span className="text-muted">none yet</span>
      ) : (
        <Copy text={dataset.version_id} shown={shortId(dataset.version_id)} />
      ),
    wide: true,
  },
  {
    name: "Read by",
    cell: (dataset) =>
      dataset.read_roles.length === 0 ? <span className="text-muted">admins</span> : dataset.read_roles.join(", "),
    wide: true,
  },
  { name: "Changed", cell: (dataset) => <Time at={dataset.updated_at} /> },
];

export function DatasetsPage() {
  const datasets = useDatasets();
  const navigate = useNavigate();
  return (
    <Page title="Datasets" about="Datasets that jobs publish: all versions with their partitions, checks and lineage.">
      <Panel flush>
        <Loaded read={datasets}>
          {() => (
            <DataTable
              label="Datasets"
              rows={datasets.rows}
              columns={COLUMNS}
              rowKey={(dataset) => dataset.id}
              open={(dataset) => void navigate({ to: "/datasets/$name", params: { name: dataset.name } })}
              more={{ has: datasets.hasNextPage, busy: datasets.isFetchingNextPage, load: datasets.fetchNextPage }}
              empty={
                <Empty title="There are no datasets yet." command="tenuto deploy dag.yaml --auto">
                  A job of a DAG publishes them in its outputs.
                </Empty>
              }
            />
          )}
        </Loaded>
      </Panel>
    </Page>
  );
}
