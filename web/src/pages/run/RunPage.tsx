import { Link, useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";

import { useAwaitedSignals, useCancelRun, useRetryRun, useRun } from "../../api/runs";
import type { RunResponse } from "../../api/schema";
import { useMay } from "../../api/session";
import { Button } from "../../ui/Button";
import { useConfirm } from "../../ui/confirm";
import { Copy, shortId } from "../../ui/Copy";
import { ErrorView } from "../../ui/Json";
import { Facts, Page, Panel } from "../../ui/Page";
import { Loaded, Loading } from "../../ui/States";
import { isFinal, StatusBadge } from "../../ui/Status";
import { Tabs } from "../../ui/Tabs";
import { Duration, Time } from "../../ui/Time";
import { useAct } from "../../ui/toast";
import { Progress } from "../runs/Progress";
import { StartRun } from "../runs/StartRun";
import { AwaitedSignals } from "./AwaitedSignals";
import { runRoute, type RunTab } from "./route";
import { RunChildren } from "./RunChildren";
import { RunData } from "./RunData";
import { RunLogs } from "./RunLogs";
import { RunTasks } from "./RunTasks";
import { RunTimeline } from "./RunTimeline";
import { SendSignal } from "./SendSignal";

// The graph is the largest part of the page; it is loaded when it is shown.
const RunGraph = lazy(() => import("./RunGraph").then((module) => ({ default: module.RunGraph })));

const TABS: readonly (readonly [RunTab, string])[] = [
  ["graph", "Graph"],
  ["timeline", "Timeline"],
  ["tasks", "Tasks"],
  ["children", "Children"],
  ["data", "Data"],
  ["logs", "Logs"],
];

export function RunPage() {
  const { runId } = runRoute.useParams();
  const { tab = "graph" } = runRoute.useSearch();
  const navigate = useNavigate({ from: "/runs/$runId" });
  const run = useRun(runId);
  return (
    <Loaded read={run}>
      {(found) => (
        <Page
          title={found.name ?? found.type ?? "Run"}
          about={<Copy text={found.id} />}
          actions={<Actions run={found} />}
        >
          <Summary run={found} />
          <Tabs
            label="Parts of the run"
            tabs={TABS}
            value={tab}
            onChange={(next) => void navigate({ search: { tab: next }, replace: true })}
          />
          {tab === "graph" && (
            <Suspense fallback={<Loading />}>
              <RunGraph runId={runId} open={!isFinal(found.status)} />
            </Suspense>
          )}
          {tab === "timeline" && <RunTimeline runId={runId} open={!isFinal(found.status)} />}
          {tab === "tasks" && <RunTasks runId={runId} />}
          {tab === "children" && <RunChildren runId={runId} open={!isFinal(found.status)} />}
          {tab === "data" && <RunData run={found} />}
          {tab === "logs" && <RunLogs runId={runId} open={!isFinal(found.status)} />}
        </Page>
      )}
    </Loaded>
  );
}

function Summary({ run }: { run: RunResponse }) {
  const open = !isFinal(run.status);
  const awaited = useAwaitedSignals(run.id, open).data?.items ?? [];
  return (
    <Panel>
      <div className="grid gap-4 md:grid-cols-2">
        <Facts
          facts={[
            ["State", <StatusBadge key="state" status={run.status} />],
            ["Tasks", <Progress key="tasks" run={run} />],
            ["Attempt", `${run.attempt} of ${run.max_attempts}`],
            ["Waits for", open && awaited.length > 0 ? <AwaitedSignals key="signals" signals={awaited} /> : null],
            ["Message", run.message],
            ["Cancelled because", run.cancel_reason],
            ["Retry of", run.retry_of === null ? null : <RunLink key="retry" id={run.retry_of} />],
            ["Retried as", run.retried_by === null ? null : <RunLink key="retried" id={run.retried_by} />],
          ]}
        />
        <Facts
          facts={[
            ["Created", <Time key="created" at={run.created_at} />],
            ["Started", <Time key="started" at={run.started_at} />],
            ["Took", <Duration key="took" from={run.started_at} until={run.completed_at} />],
            ["Next retry", run.next_retry_at === null ? null : <Time key="retry" at={run.next_retry_at} />],
            ["Deadline", run.deadline_at === null ? null : <Time key="deadline" at={run.deadline_at} />],
          ]}
        />
      </div>
      {run.error !== null && (
        <div className="mt-4 border-t border-line pt-4">
          <ErrorView error={run.error} />
          {run.failed_task_id !== null && (
            <p className="mt-2 text-sm">
              <Link to="/tasks/$taskId" params={{ taskId: run.failed_task_id }} className="underline">
                Open the task that failed
              </Link>
            </p>
          )}
        </div>
      )}
    </Panel>
  );
}

function RunLink({ id }: { id: string }) {
  return (
    <Link to="/runs/$runId" params={{ runId: id }} className="font-mono text-xs underline">
      {shortId(id)}
    </Link>
  );
}

function Actions({ run }: { run: RunResponse }) {
  const cancel = useCancelRun();
  const retry = useRetryRun();
  const confirm = useConfirm();
  const act = useAct();
  const navigate = useNavigate();
  const [signalling, setSignalling] = useState(false);
  const [starting, setStarting] = useState(false);
  if (!useMay("runs:write")) return null;
  const path = { run_id: run.id };
  const cancelRun = async () => {
    const agreed = await confirm({
      title: "Cancel this run?",
      happens: "Tasks that have not started never start; running tasks are asked to stop.",
      undo: "You can retry it afterwards: completed tasks keep their results.",
      action: "Cancel the run",
      danger: true,
    });
    if (agreed) await act(() => cancel.mutateAsync({ path }), "The run is being cancelled.");
  };
  const retryRun = async () => {
    const agreed = await confirm({
      title: "Retry this run?",
      happens: "It starts again as a new run; completed tasks keep their results and are not repeated.",
      undo: "You can cancel the new run.",
      action: "Retry the run",
    });
    if (!agreed) return;
    await act(async () => {
      const next = await retry.mutateAsync({ path });
      await navigate({ to: "/runs/$runId", params: { runId: next.id } });
    }, "The run starts again.");
  };
  if (!isFinal(run.status)) {
    return (
      <>
        <Button onClick={() => setSignalling(true)}>Send a signal</Button>
        <Button kind="danger" busy={cancel.isPending} onClick={() => void cancelRun()}>
          Cancel
        </Button>
        {signalling && <SendSignal runId={run.id} close={() => setSignalling(false)} />}
      </>
    );
  }
  return (
    <>
      {run.single_task && run.type !== null && (
        <Button onClick={() => setStarting(true)} title="Change its input and start it as another run">
          Start a similar run
        </Button>
      )}
      <Button kind="primary" busy={retry.isPending} onClick={() => void retryRun()}>
        Retry
      </Button>
      {starting && <StartRun close={() => setStarting(false)} type={run.type ?? ""} input={run.input} />}
    </>
  );
}
