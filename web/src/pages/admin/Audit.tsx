import { useNavigate } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";

import { useAudit, useAuditHeads } from "../../api/admin";
import type { AuditEntry } from "../../api/schema";
import { Command, Copy } from "../../ui/Copy";
import { DataTable, type Column } from "../../ui/DataTable";
import { TextFilter } from "../../ui/Filters";
import { Facts, Panel } from "../../ui/Page";
import { Empty, Loaded } from "../../ui/States";
import { Time } from "../../ui/Time";
import { formatCount } from "../../ui/time";
import { adminRoute, type AdminSearch } from "./route";

const COLUMNS: Column<AuditEntry>[] = [
  { name: "When", cell: (entry) => <Time at={entry.created_at} /> },
  {
    name: "Who",
    cell: (entry) => `${entry.actor_kind} ${entry.actor_name ?? entry.actor_id}`,
    className: "max-w-48 truncate",
  },
  { name: "Did", cell: (entry) => <span className="font-medium">{`${entry.action} ${entry.entity}`}</span> },
  {
    name: "What",
    cell: (entry) => <span className="line-clamp-1 font-mono text-xs">{entry.entity_id}</span>,
    className: "max-w-56",
  },
  {
    name: "Changes",
    cell: (entry) => <span className="line-clamp-1 font-mono text-xs">{changesOf(entry)}</span>,
    wide: true,
    className: "max-w-80",
  },
  { name: "From", cell: (entry) => entry.ip ?? "–", wide: true },
  { name: "No", cell: (entry) => entry.seq ?? "not sealed yet", numeric: true, wide: true },
];

function changesOf(entry: AuditEntry): string {
  return Object.entries(entry.changes)
    .map(([field, change]) => `${field}: ${JSON.stringify(change.new ?? null)}`)
    .join(", ");
}

export function Audit() {
  const search = adminRoute.useSearch();
  const navigate = useNavigate({ from: "/admin" });
  const change = useCallback(
    (next: Partial<AdminSearch>) =>
      void navigate({ search: (old: AdminSearch) => ({ ...old, ...next }), replace: true }),
    [navigate],
  );
  const query = useMemo(() => ({ limit: 50, entity: search.entity, action: search.action }), [search]);
  const entries = useAudit(query);
  return (
    <>
      <Chain />
      <div className="flex flex-wrap gap-2">
        <TextFilter
          label="Entity"
          placeholder="Entity: run, key, user…"
          value={search.entity}
          onChange={useCallback((entity) => change({ entity }), [change])}
        />
        <TextFilter
          label="Action"
          placeholder="Action: cancel, put…"
          value={search.action}
          onChange={useCallback((action) => change({ action }), [change])}
        />
      </div>
      <Panel flush>
        <Loaded read={entries}>
          {() => (
            <DataTable
              label="Audit log"
              rows={entries.rows}
              columns={COLUMNS}
              rowKey={(entry) => entry.id}
              more={{ has: entries.hasNextPage, busy: entries.isFetchingNextPage, load: entries.fetchNextPage }}
              empty={<Empty title="No entry matches." />}
            />
          )}
        </Loaded>
      </Panel>
    </>
  );
}

/** The signed head of the chain of entries, and why its check is a command. */
function Chain() {
  const heads = useAuditHeads();
  const head = heads.data?.items[0];
  return (
    <Panel title="Proof that nothing was changed" aside={<Command text="tenuto audit verify" />}>
      {head === undefined ? (
        <p className="text-sm text-muted">
          Entries are chained by hashes; the dispatcher signs the head from time to time.
        </p>
      ) : (
        <Facts
          facts={[
            ["Signed entries", formatCount(head.seq)],
            ["Signed", <Time key="signed" at={head.signed_at} />],
            ["Hash", <Copy key="hash" text={head.hash} />],
            ["Signing key", <Copy key="key" text={head.signing_key_id} />],
          ]}
        />
      )}
      <p className="mt-3 text-sm text-muted">
        A server cannot prove itself honest: run the command on a machine that you trust, with{" "}
        <code className="font-mono">--heads FILE</code> for heads that you keep outside of the database.
      </p>
    </Panel>
  );
}
