import { Link } from "@tanstack/react-router";

import type { TypeActivity } from "../../api/schema";
import { useActivity } from "../../api/status";
import { DataTable, type Column } from "../../ui/DataTable";
import { Panel } from "../../ui/Page";
import { Empty, Loaded } from "../../ui/States";
import { formatCount, formatSeconds } from "../../ui/time";

const MAX_ROWS = 8;

const COLUMNS: Column<TypeActivity>[] = [
  {
    name: "Type",
    cell: (type) => (
      <Link to="/tasks" search={{ type: type.type }} className="font-medium hover:underline">
        {type.type}
      </Link>
    ),
  },
  { name: "Errors", cell: (type) => <span className="text-bad">{formatCount(type.errors)}</span>, numeric: true },
  { name: "Of attempts", cell: (type) => `${(type.error_rate_percent ?? 0).toFixed(1)}%`, numeric: true },
  {
    name: "95% within",
    cell: (type) => (type.p95_seconds === null ? "–" : formatSeconds(type.p95_seconds)),
    numeric: true,
    wide: true,
  },
];

/** The task types whose attempts failed most within the last day. */
export function FailingTypes() {
  const activity = useActivity();
  return (
    <Panel title="Types that fail" flush aside="last 24 hours, retried attempts too">
      <Loaded read={activity}>
        {(found) => (
          <DataTable
            label="Types that fail"
            rows={found.items.filter((type) => type.errors > 0).sort((a, b) => b.errors - a.errors).slice(0, MAX_ROWS)}
            columns={COLUMNS}
            rowKey={(type) => type.type}
            empty={<Empty title="No attempt failed." />}
          />
        )}
      </Loaded>
    </Panel>
  );
}
