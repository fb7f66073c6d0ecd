import { Link, useNavigate } from "@tanstack/react-router";
import { useCallback, useMemo, useState } from "react";

import { useBackfills } from "../../api/events";
import type { Backfill } from "../../api/schema";
import { useMay } from "../../api/session";
import { Button } from "../../ui/Button";
import { DataTable, type Column } from "../../ui/DataTable";
import { Choice, TextFilter } from "../../ui/Filters";
import { Page, Panel } from "../../ui/Page";
import { Empty, Loaded } from "../../ui/States";
import { StatusBadge } from "../../ui/Status";
import { Time } from "../../ui/Time";
import { BackfillActions, BackfillProgress, scopeOf } from "./BackfillParts";
import { BACKFILL_STATUSES, backfillsRoute, type BackfillsSearch } from "./route";
import { StartBackfill } from "./StartBackfill";

const COLUMNS: Column<Backfill>[] = [
  { name: "State", cell: (backfill) => <StatusBadge status={backfill.status} /> },
  {
    name: "Dataset",
    cell: (backfill) => (
      <Link
        to="/backfills/$backfillId"
        params={{ backfillId: backfill.id }}
        className="font-medium hover:underline"
      >
        {backfill.dataset}
      </Link>
    ),
  },
  { name: "Partitions", cell: scopeOf, className: "whitespace-nowrap" },
  { name: "Progress", cell: (backfill) => <BackfillProgress backfill={backfill} /> },
  { name: "Reason", cell: (backfill) => backfill.reason ?? "–", wide: true, className: "max-w-64 truncate" },
  { name: "Started", cell: (backfill) => <Time at={backfill.created_at} />, wide: true },
];

export function BackfillsPage() {
  const search = backfillsRoute.useSearch();
  const navigate = useNavigate({ from: "/backfills" });
  const [starting, setStarting] = useState(false);
  const mayWrite = useMay("backfills:write");
  const query = useMemo(() => ({ limit: 50, dataset: search.dataset, status: search.status }), [search]);
  const backfills = useBackfills(query);
  const change = useCallback(
    (next: Partial<BackfillsSearch>) =>
      void navigate({ search: (old: BackfillsSearch) => ({ ...old, ...next }), replace: true }),
    [navigate],
  );
  const actions: Column<Backfill> = { name: "Actions", cell: (backfill) => <BackfillActions backfill={backfill} /> };
  return (
    <Page
      title="Backfills"
      about="Partitions of a dataset that are computed again, a bounded number at a time."
      actions={
        mayWrite && (
          <Button kind="primary" onClick={() => setStarting(true)}>
            Start a backfill
          </Button>
        )
      }
    >
      <div className="flex flex-wrap gap-2">
        <TextFilter
          label="Dataset"
          value={search.dataset}
          onChange={useCallback((dataset) => change({ dataset }), [change])}
        />
        <Choice
          label="State"
          options={BACKFILL_STATUSES}
          value={search.status}
          onChange={(status) => change({ status: status as BackfillsSearch["status"] })}
        />
      </div>
      <Panel flush>
        <Loaded read={backfills}>
          {() => (
            <DataTable
              label="Backfills"
              rows={backfills.rows}
              columns={mayWrite ? [...COLUMNS, actions] : COLUMNS}
              rowKey={(backfill) => backfill.id}
              open={(backfill) => void navigate({ to: "/backfills/$backfillId", params: { backfillId: backfill.id } })}
              more={{ has: backfills.hasNextPage, busy: backfills.isFetchingNextPage, load: backfills.fetchNextPage }}
              empty={<Empty title="No backfill matches." command="tenuto backfill start DATASET --dry-run" />}
            />
          )}
        </Loaded>
      </Panel>
      {starting && <StartBackfill close={() => setStarting(false)} />}
    </Page>
  );
}
