import { Link } from "@tanstack/react-router";

import { useJob } from "../../api/dags";
import type { WholeDataset } from "../../api/schema";
import { DataTable, type Column } from "../../ui/DataTable";
import { Panel } from "../../ui/Page";
import { Empty, Loaded } from "../../ui/States";
import { StatusBadge } from "../../ui/Status";
import { outputOf, type OutputCheck, type OutputColumn } from "./output";

const CHECKS: Column<OutputCheck>[] = [
  { name: "Check", cell: (check) => <span className="font-medium">{check.name}</span> },
  { name: "Kind", cell: (check) => check.kind.replaceAll("_", " ") },
  { name: "Demands", cell: (check) => check.demands || "–" },
  {
    name: "If it fails",
    cell: (check) => (
      <StatusBadge
        status={check.severity === "warn" ? "warns" : "nothing is committed"}
        tone={check.severity === "warn" ? "warn" : "bad"}
      />
    ),
  },
];

/** The columns and checks that the DAG declares for the dataset. */
export function Schema({ dataset }: { dataset: WholeDataset }) {
  const job = useJob(dataset.dag, dataset.job);
  const columns: Column<OutputColumn>[] = [
    {
      name: "Column",
      cell: (column) => (
        <Link
          to="/datasets/$name"
          params={{ name: dataset.name }}
          search={{ tab: "lineage", column: column.name }}
          className="font-medium hover:underline"
          title="Show where this column comes from"
        >
          {column.name}
        </Link>
      ),
    },
    { name: "Type", cell: (column) => <span className="font-mono text-xs">{column.type}</span> },
    { name: "Nullable", cell: (column) => (column.not_null ? "no" : "yes") },
    { name: "Description", cell: (column) => column.description ?? "–", wide: true },
  ];
  if (dataset.job === null)
    return <Empty title="No current job publishes this dataset, so nothing declares its schema." />;
  return (
    <Loaded read={job}>
      {(found) => {
        const output = outputOf(found, dataset);
        return (
          <>
            <Panel title="Columns" flush>
              <DataTable
                label="Columns"
                rows={output?.columns ?? []}
                columns={columns}
                rowKey={(column) => column.name}
                empty={<Empty title="The DAG declares no columns: write `columns` below the output." />}
              />
            </Panel>
            <Panel title="Checks" flush>
              <DataTable
                label="Checks"
                rows={output?.checks ?? []}
                columns={CHECKS}
                rowKey={(check) => check.name}
                empty={<Empty title="The DAG declares no checks: write `checks` below the output." />}
              />
            </Panel>
          </>
        );
      }}
    </Loaded>
  );
}
