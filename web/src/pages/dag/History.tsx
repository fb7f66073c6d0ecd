import { useDagHistory } from "../../api/dags";
import type { DeployEntry } from "../../api/schema";
import { DataTable, type Column } from "../../ui/DataTable";
import { Panel } from "../../ui/Page";
import { Person } from "../../ui/Person";
import { Empty, Loaded } from "../../ui/States";
import { Time } from "../../ui/Time";

const COLUMNS: Column<DeployEntry>[] = [
  { name: "When", cell: (entry) => <Time at={entry.created_at} /> },
  { name: "What", cell: (entry) => <span className="font-medium">{entry.action}</span> },
  { name: "Versions", cell: (entry) => `${entry.from_version ?? "none"} → ${entry.to_version ?? "none"}` },
  { name: "By", cell: (entry) => <Person id={entry.created_by} />, className: "max-w-64 truncate" },
];

/** The deploys, cutovers and rollbacks of a DAG, newest first. */
export function History({ name }: { name: string }) {
  const history = useDagHistory(name);
  return (
    <Panel flush>
      <Loaded read={history}>
        {() => (
          <DataTable
            label="History"
            rows={history.rows}
            columns={COLUMNS}
            rowKey={(entry) => entry.id}
            more={{ has: history.hasNextPage, busy: history.isFetchingNextPage, load: history.fetchNextPage }}
            empty={<Empty title="Nothing was deployed yet." />}
          />
        )}
      </Loaded>
    </Panel>
  );
}
