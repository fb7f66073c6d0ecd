import { Link, useNavigate } from "@tanstack/react-router";

import type { WorkerStatus } from "../../api/schema";
import { useMay } from "../../api/session";
import { useDispatchers } from "../../api/status";
import { useWorkers } from "../../api/workers";
import { DataTable, type Column } from "../../ui/DataTable";
import { Choice } from "../../ui/Filters";
import { Page, Panel } from "../../ui/Page";
import { Empty, Loaded } from "../../ui/States";
import { StatusBadge } from "../../ui/Status";
import { Time } from "../../ui/Time";
import { formatSeconds } from "../../ui/time";
import { Health } from "./health";
import { Machine } from "./Machine";
import { Pools } from "./Pools";
import { WORKER_STATUSES, workersRoute, type WorkersSearch, type WorkerStatusName } from "./route";

const COLUMNS: Column<WorkerStatus>[] = [
  {
    name: "Worker",
    cell: (worker) => (
      <Link to="/workers/$name" params={{ name: worker.id }} className="font-medium hover:underline">
        {worker.id}
      </Link>
    ),
  },
  { name: "State", cell: (worker) => <StatusBadge status={worker.status} /> },
  { name: "Health", cell: (worker) => <Health worker={worker} /> },
  { name: "Running", cell: (worker) => worker.running, numeric: true },
  { name: "Current task", cell: (worker) => <Current worker={worker} />, wide: true },
  { name: "Machine", cell: (worker) => <Machine worker={worker} />, wide: true },
  { name: "Heartbeat", cell: (worker) => <Time at={worker.last_heartbeat} none="none" /> },
];

function Current({ worker }: { worker: WorkerStatus }) {
  if (worker.current_task_id === null) {
    return <span className="text-muted">{worker.health_status === "dead" ? "–" : "idle"}</span>;
  }
  return (
    <Link to="/tasks/$taskId" params={{ taskId: worker.current_task_id }} className="hover:underline">
      {worker.current_task_type}
      <span className="text-muted"> for {formatSeconds(worker.task_runtime_seconds ?? 0)}</span>
    </Link>
  );
}

export function WorkersPage() {
  const { status, pool } = workersRoute.useSearch();
  const navigate = useNavigate({ from: "/workers" });
  const workers = useWorkers(status);
  const dispatchers = useDispatchers();
  const mayReadPools = useMay("pools:read");
  const change = (next: Partial<WorkersSearch>) =>
    void navigate({ search: (old: WorkersSearch) => ({ ...old, ...next }), replace: true });
  return (
    <Page
      title="Workers"
      about="Processes that run tasks, on any machine."
      actions={
        <Choice
          label="State"
          options={WORKER_STATUSES}
          value={status}
          onChange={(next) => change({ status: next as WorkerStatusName | undefined })}
        />
      }
    >
      <Panel flush>
        <Loaded read={workers}>
          {() => (
            <DataTable
              label="Workers"
              rows={workers.rows}
              columns={COLUMNS}
              rowKey={(worker) => worker.id}
              open={(worker) => void navigate({ to: "/workers/$name", params: { name: worker.id } })}
              more={{ has: workers.hasNextPage, busy: workers.isFetchingNextPage, load: workers.fetchNextPage }}
              empty={<Empty title="No worker is registered." command="tenuto worker module:app" />}
            />
          )}
        </Loaded>
      </Panel>
      {mayReadPools && <Pools chosen={pool} choose={(next) => change({ pool: next })} />}
      <Panel title="Dispatchers" flush aside="they run delays, retries, schedules and deliveries">
        <Loaded read={dispatchers}>
          {(found) => (
            <DataTable
              label="Dispatchers"
              rows={found.items}
              rowKey={(dispatcher) => dispatcher.id}
              columns={[
                { name: "Dispatcher", cell: (dispatcher) => dispatcher.id },
                { name: "State", cell: (dispatcher) => <StatusBadge status={dispatcher.status} /> },
                { name: "Address", cell: (dispatcher) => `${dispatcher.address}:${dispatcher.port}`, wide: true },
                { name: "Heartbeat", cell: (dispatcher) => <Time at={dispatcher.heartbeat} /> },
                { name: "Started", cell: (dispatcher) => <Time at={dispatcher.started_at} /> },
              ]}
              empty={<Empty title="No dispatcher runs." command="tenuto dispatcher" />}
            />
          )}
        </Loaded>
      </Panel>
    </Page>
  );
}
