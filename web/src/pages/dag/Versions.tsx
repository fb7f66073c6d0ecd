import { useNavigate } from "@tanstack/react-router";

import { call } from "../../api/client";
import { useCutoverDag, useDagDiff, useDagVersions, useRollbackDag } from "../../api/dags";
import type { DagVersion, DagVersionText, DiffResponse } from "../../api/schema";
import { useMay } from "../../api/session";
import { Button } from "../../ui/Button";
import { useConfirm } from "../../ui/confirm";
import { DataTable, type Column } from "../../ui/DataTable";
import { Panel } from "../../ui/Page";
import { Person } from "../../ui/Person";
import { Empty, Loaded } from "../../ui/States";
import { StatusBadge } from "../../ui/Status";
import { Time } from "../../ui/Time";
import { formatCount } from "../../ui/time";
import { useAct, useToast } from "../../ui/toast";
import { Changes } from "./Changes";
import { dagRoute } from "./route";
import { TextDiff } from "./TextDiff";

const COLUMNS: Column<DagVersion>[] = [
  { name: "Version", cell: (version) => <span className="font-medium">{version.version}</span> },
  { name: "State", cell: (version) => <StatusBadge status={version.status} /> },
  { name: "Computed", cell: (version) => <Computed version={version} /> },
  { name: "Jobs", cell: (version) => version.jobs, numeric: true, wide: true },
  { name: "Deployed", cell: (version) => <Time at={version.created_at} /> },
  { name: "By", cell: (version) => <Person id={version.created_by} />, wide: true },
];

function Computed({ version }: { version: DagVersion }) {
  if (version.error !== null)
    return (
      <span className="line-clamp-1 text-bad" title={version.error}>
        {version.error}
      </span>
    );
  if (version.planned === null || version.planned === 0) return <span className="text-muted">–</span>;
  const share = (100 * (version.completed ?? 0)) / version.planned;
  return (
    <div className="flex items-center gap-2">
      <svg viewBox="0 0 100 6" preserveAspectRatio="none" className="h-1.5 w-20 rounded-full" aria-hidden="true">
        <rect width="100" height="6" className="fill-grey-soft" />
        <rect width={share} height="6" className={share < 100 ? "fill-info" : "fill-ok"} />
      </svg>
      <span className="text-xs whitespace-nowrap text-muted tabular-nums">
        {formatCount(version.completed ?? 0)} / {formatCount(version.planned)} tasks
      </span>
    </div>
  );
}

/** The versions of a DAG: how far each is computed, what differs, cutover and rollback. */
export function Versions({ name, current }: { name: string; current: DagVersionText }) {
  const versions = useDagVersions(name);
  const { compare } = dagRoute.useSearch();
  const mayWrite = useMay("dags:write");
  const currentNo = current.status === "current" ? current.version : null;
  const actions: Column<DagVersion> = {
    name: "Actions",
    cell: (version) => <Actions version={version} currentNo={currentNo} mayWrite={mayWrite} />,
  };
  return (
    <>
      <Panel flush>
        <Loaded read={versions}>
          {() => (
            <DataTable
              label="Versions"
              rows={versions.rows}
              columns={[...COLUMNS, actions]}
              rowKey={(version) => String(version.version)}
              more={{ has: versions.hasNextPage, busy: versions.isFetchingNextPage, load: versions.fetchNextPage }}
              empty={<Empty title="There are no versions." />}
            />
          )}
        </Loaded>
      </Panel>
      {compare !== undefined && <Difference name={name} compare={compare} />}
    </>
  );
}

interface ActionsProps {
  version: DagVersion;
  currentNo: number | null;
  mayWrite: boolean;
}

function Actions({ version, currentNo, mayWrite }: ActionsProps) {
  const navigate = useNavigate({ from: "/dags/$name" });
  const move = useMove(version, currentNo);
  const other = currentNo !== null && currentNo !== version.version;
  return (
    <div className="flex flex-wrap gap-1">
      {other && (
        <Button
          onClick={() =>
            void navigate({
              search: {
                tab: "versions",
                compare: `${Math.min(currentNo, version.version)}-${Math.max(currentNo, version.version)}`,
              },
              replace: true,
            })
          }
        >
          Compare
        </Button>
      )}
      {mayWrite && version.status === "ready" && (
        <Button kind="primary" onClick={() => void move("cutover")}>
          Cut over
        </Button>
      )}
      {mayWrite && version.status === "superseded" && (
        <Button onClick={() => void move("rollback")}>
          {version.version < (currentNo ?? 0) ? "Roll back" : "Make current again"}
        </Button>
      )}
    </div>
  );
}

/** Asks with the impact of the move, then makes the version current unless another one became current before. */
function useMove(version: DagVersion, currentNo: number | null) {
  const cutover = useCutoverDag();
  const rollback = useRollbackDag();
  const confirm = useConfirm();
  const toast = useToast();
  const act = useAct();
  return async (kind: "cutover" | "rollback") => {
    const path = { name: version.dag };
    let impact = "Its datasets become visible to readers.";
    if (currentNo !== null) {
      try {
        const query = { old: currentNo, new: version.version };
        impact = impactOf(await call("GET /v1/dags/{name}/diff", { path, query }));
      } catch (error) {
        toast.failed(error);
        return;
      }
    }
    const agreed = await confirm({
      title:
        kind === "cutover" ? `Cut over to version ${version.version}?` : `Roll back to version ${version.version}?`,
      happens: `Version ${version.version} of ${version.dag} becomes current in one transaction. ${impact}`,
      undo:
        currentNo === null
          ? "This is the first current version; deploy another one to replace it."
          : `Roll back to version ${currentNo}: its data is kept, and becomes visible again at once.`,
      action: kind === "cutover" ? "Cut over" : "Roll back",
    });
    if (!agreed) return;
    const body = { version: version.version, expected: currentNo ?? 0 };
    const done = `Version ${version.version} is current.`;
    await act(() => (kind === "cutover" ? cutover : rollback).mutateAsync({ path, body }), done);
  };
}

function impactOf(diff: DiffResponse): string {
  const changed = diff.datasets.filter((change) => change.kind !== "reused");
  if (changed.length === 0) return "No dataset changes.";
  const names = changed.slice(0, 5).map((change) => `${change.dataset} (${change.kind})`);
  const rest = changed.length > 5 ? ` and ${changed.length - 5} more` : "";
  return `Readers see these datasets change: ${names.join(", ")}${rest}.`;
}

function Difference({ name, compare }: { name: string; compare: string }) {
  const match = /^(\d+)-(\d+)$/.exec(compare);
  const versions = match === null ? null : { old: Number(match[1]), new: Number(match[2]) };
  const diff = useDagDiff(name, versions);
  if (versions === null) return null;
  return (
    <Panel title={`From version ${versions.old} to ${versions.new}`}>
      <div className="flex flex-col gap-4">
        <Loaded read={diff}>{(found) => <Changes changes={found} />}</Loaded>
        <TextDiff name={name} versions={versions} />
      </div>
    </Panel>
  );
}
