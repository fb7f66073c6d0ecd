import type { WorkerLife, WorkerStatus } from "../../api/schema";
import { useMay } from "../../api/session";
import { useDrainWorker, useWorker, useWorkerHistory, useWorkerLogs } from "../../api/workers";
import { Button } from "../../ui/Button";
import { useConfirm } from "../../ui/confirm";
import { DataTable, type Column } from "../../ui/DataTable";
import { Json } from "../../ui/Json";
import { LogLines } from "../../ui/LogLines";
import { Facts, Page, Panel } from "../../ui/Page";
import { Empty, Loaded } from "../../ui/States";
import { StatusBadge } from "../../ui/Status";
import { Duration, Time } from "../../ui/Time";
import { useAct } from "../../ui/toast";
import { Health } from "./health";
import { Machine } from "./Machine";
import { workerRoute } from "./route";

function sessionColumns(worker: WorkerStatus): Column<WorkerLife>[] {
  const open = worker.health_status === "dead" ? "dead" : "lives";
  return [
    { name: "Began", cell: (life) => <Time at={life.started_at} /> },
    { name: "Lasted", cell: (life) => <Duration from={life.started_at} until={life.ended_at} />, numeric: true },
    { name: "End", cell: (life) => life.end_reason ?? open },
    { name: "Queues", cell: (life) => (life.queues ?? ["all"]).join(", "), wide: true },
  ];
}

export function WorkerPage() {
  const { name } = workerRoute.useParams();
  const worker = useWorker(name);
  return (
    <Loaded read={worker}>
      {(found) => (
        <Page title={found.id} about="Worker" actions={<Drain worker={found} />}>
          <Panel>
            <div className="grid gap-4 md:grid-cols-2">
              <Facts
                facts={[
                  ["State", <StatusBadge key="state" status={found.status} />],
                  ["Health", <Health key="health" worker={found} />],
                  ["Running tasks", found.running],
                  ["Stuck tasks", found.stuck_tasks],
                  ["Labels", found.labels.length > 0 ? found.labels.join(", ") : null],
                  ["Error", found.error],
                ]}
              />
              <Facts
                facts={[
                  ["Address", found.address],
                  ["Machine", <Machine key="machine" worker={found} />],
                  ["Heartbeat", <Time key="heartbeat" at={found.last_heartbeat} />],
                  ["Registered", <Time key="registered" at={found.created_at} />],
                  ["Drains because", found.drain_reason],
                ]}
              />
            </div>
          </Panel>
          <Sessions worker={found} />
          <WorkerLog name={name} />
          <Panel title="Reported by the worker">
            <Json value={found.metadata} />
          </Panel>
        </Page>
      )}
    </Loaded>
  );
}

function Sessions({ worker }: { worker: WorkerStatus }) {
  const history = useWorkerHistory(worker.id);
  return (
    <Panel title="Sessions" flush>
      <Loaded read={history}>
        {(found) => (
          <DataTable
            label="Sessions"
            rows={found.items}
            columns={sessionColumns(worker)}
            rowKey={(life) => String(life.session_id)}
            empty={<Empty title="The worker has had no session yet." />}
          />
        )}
      </Loaded>
    </Panel>
  );
}

function WorkerLog({ name }: { name: string }) {
  const logs = useWorkerLogs(name);
  return (
    <Panel title="Log of the worker" flush aside="kept for 48 hours">
      <Loaded read={logs}>
        {(found) =>
          found.items.length === 0 ? (
            <Empty title="The worker has sent no log lines." />
          ) : (
            <LogLines
              lines={found.items.map((line) => ({
                key: `${line.logged_at}-${line.line_no}`,
                at: line.logged_at,
                level: line.level,
                source: name,
                message: line.message,
                fields: null,
              }))}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}

function Drain({ worker }: { worker: WorkerStatus }) {
  const drain = useDrainWorker();
  const confirm = useConfirm();
  const act = useAct();
  if (!useMay("workers:write") || worker.status !== "active") return null;
  const ask = async () => {
    const agreed = await confirm({
      title: `Drain ${worker.id}?`,
      happens: "The worker finishes the tasks that it holds, takes no more and then ends.",
      undo: "This cannot be undone; start the worker again.",
      action: "Drain the worker",
      danger: true,
    });
    const path = { name: worker.id };
    if (agreed)
      await act(() => drain.mutateAsync({ path, body: { reason: "drained in the dashboard" } }), "It drains.");
  };
  return (
    <Button kind="danger" busy={drain.isPending} onClick={() => void ask()}>
      Drain
    </Button>
  );
}
