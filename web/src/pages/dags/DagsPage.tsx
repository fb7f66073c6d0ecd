import { Link, useNavigate } from "@tanstack/react-router";

import { useDags } from "../../api/dags";
import type { DagSummary } from "../../api/schema";
import { useMay } from "../../api/session";
import { Button } from "../../ui/Button";
import { DataTable, type Column } from "../../ui/DataTable";
import { Page, Panel } from "../../ui/Page";
import { Empty, Loaded } from "../../ui/States";
import { StatusBadge } from "../../ui/Status";
import { Time } from "../../ui/Time";

const COLUMNS: Column<DagSummary>[] = [
  {
    name: "DAG",
    cell: (dag) => (
      <Link to="/dags/$name" params={{ name: dag.name }} className="font-medium hover:underline">
        {dag.name}
      </Link>
    ),
  },
  {
    name: "Current version",
    cell: (dag) => dag.version ?? <span className="text-muted">none yet</span>,
    numeric: true,
  },
  { name: "Newest version", cell: (dag) => dag.newest_version, numeric: true },
  { name: "State of the newest", cell: (dag) => <StatusBadge status={dag.newest_status} /> },
  { name: "Changed", cell: (dag) => <Time at={dag.updated_at} /> },
];

export function DagsPage() {
  const dags = useDags();
  const navigate = useNavigate();
  const mayWrite = useMay("dags:write");
  return (
    <Page
      title="DAGs"
      about="Jobs that publish datasets and react to them, deployed as versions."
      actions={
        mayWrite && (
          <Button kind="primary" onClick={() => void navigate({ to: "/new-dag" })}>
            Write a DAG
          </Button>
        )
      }
    >
      <Panel flush>
        <Loaded read={dags}>
          {() => (
            <DataTable
              label="DAGs"
              rows={dags.rows}
              columns={COLUMNS}
              rowKey={(dag) => dag.name}
              open={(dag) => void navigate({ to: "/dags/$name", params: { name: dag.name } })}
              more={{ has: dags.hasNextPage, busy: dags.isFetchingNextPage, load: dags.fetchNextPage }}
              empty={<Empty title="No DAG is deployed yet." command="tenuto deploy dag.yaml --auto" />}
            />
          )}
        </Loaded>
      </Panel>
    </Page>
  );
}
