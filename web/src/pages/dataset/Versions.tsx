import type { useDatasetVersions } from "../../api/datasets";
import type { DatasetVersion } from "../../api/schema";
import { Copy, shortId } from "../../ui/Copy";
import { DataTable, type Column } from "../../ui/DataTable";
import { Panel } from "../../ui/Page";
import { Empty, Loaded } from "../../ui/States";
import { StatusBadge } from "../../ui/Status";
import { Time } from "../../ui/Time";

const COLUMNS: Column<DatasetVersion>[] = [
  { name: "Version", cell: (version) => <Copy text={version.id} shown={shortId(version.id)} /> },
  { name: "State", cell: (version) => <State version={version} /> },
  { name: "In versions of the DAG", cell: (version) => version.dag_versions.join(", ") || "–" },
  { name: "Definition", cell: (version) => <Hash text={version.config_hash} />, wide: true },
  { name: "Schema", cell: (version) => <Hash text={version.schema_hash} />, wide: true },
  { name: "Created", cell: (version) => <Time at={version.created_at} /> },
];

function Hash({ text }: { text: string | null }) {
  return text === null ? <span className="text-muted">–</span> : <Copy text={text} shown={text.slice(0, 8)} />;
}

function State({ version }: { version: DatasetVersion }) {
  if (version.purged_at !== null) return <StatusBadge status="purged" />;
  return version.is_current ? <StatusBadge status="current" /> : <StatusBadge status="kept" />;
}

/** Every version of a dataset; equal hashes are equal definitions or schemas. */
export function Versions({ versions }: { versions: ReturnType<typeof useDatasetVersions> }) {
  return (
    <Panel flush>
      <Loaded read={versions}>
        {() => (
          <DataTable
            label="Versions"
            rows={versions.rows}
            columns={COLUMNS}
            rowKey={(version) => version.id}
            more={{ has: versions.hasNextPage, busy: versions.isFetchingNextPage, load: versions.fetchNextPage }}
            empty={<Empty title="There are no versions yet." />}
          />
        )}
      </Loaded>
    </Panel>
  );
}
