import { Link, useNavigate } from "@tanstack/react-router";

import type { AttemptInfo, TaskStatus } from "../../api/schema";
import { useMay } from "../../api/session";
import { useCancelTask, useTaskDetails, useWhy } from "../../api/tasks";
import { Button } from "../../ui/Button";
import { useConfirm } from "../../ui/confirm";
import { Copy, shortId } from "../../ui/Copy";
import { ErrorView } from "../../ui/Json";
import { Facts, Page, Panel } from "../../ui/Page";
import { Loaded } from "../../ui/States";
import { isFinal, StatusBadge } from "../../ui/Status";
import { Tabs } from "../../ui/Tabs";
import { Duration, Time } from "../../ui/Time";
import { useAct } from "../../ui/toast";
import { jobOf } from "./job";
import { isOrigin, useRetryHere } from "./retryHere";
import { taskRoute, type TaskTab } from "./route";
import { Attempts, Children, Data, Logs, Steps } from "./TaskParts";
import { WorkerLink } from "./WorkerLink";

const TABS: readonly (readonly [TaskTab, string])[] = [
  ["attempts", "Attempts"],
  ["data", "Input and output"],
  ["steps", "Steps and signals"],
  ["children", "Children"],
  ["logs", "Logs"],
];

export function TaskPage() {
  const { taskId } = taskRoute.useParams();
  const { tab = "attempts" } = taskRoute.useSearch();
  const navigate = useNavigate({ from: "/tasks/$taskId" });
  const details = useTaskDetails(taskId);
  return (
    <Loaded read={details}>
      {(found) => (
        <Page
          title={titleOf(found.task)}
          about={<Copy text={taskId} />}
          actions={<Actions task={found.task} />}
        >
          <Why task={found.task} />
          <Summary
            task={found.task}
            dedupeKey={found.dedupe_key}
            withError={tab !== "attempts" || !hasErrors(found.attempts)}
          />
          <Tabs
            label="Parts of the task"
            tabs={TABS}
            value={tab}
            onChange={(next) => void navigate({ search: { tab: next }, replace: true })}
          />
          {tab === "attempts" && <Attempts attempts={found.attempts} />}
          {tab === "data" && <Data task={found.task} />}
          {tab === "steps" && <Steps steps={found.steps} signals={found.signals} />}
          {tab === "children" && <Children taskId={taskId} />}
          {tab === "logs" && <Logs taskId={taskId} open={!isFinal(found.task.status)} />}
        </Page>
      )}
    </Loaded>
  );
}

function titleOf(task: TaskStatus): string {
  const job = jobOf(task);
  return task.name ?? (job === null ? task.type : `${job.dag} / ${job.name}`);
}

/** Why an open task does not run, in one sentence. */
function Why({ task }: { task: TaskStatus }) {
  const asks = !isFinal(task.status) && task.status !== "running";
  const why = useWhy(task.id, asks);
  if (!asks || why.data === undefined) return null;
  return (
    <div className="rounded-lg border border-warn bg-warn-soft px-4 py-3 text-sm">
      <h2 className="font-semibold">Why is it not running?</h2>
      <p className="mt-1 whitespace-pre-wrap [overflow-wrap:anywhere]">{why.data.why}</p>
    </div>
  );
}

/** Whether the list of attempts shows why the task failed, which needs no second place then. */
function hasErrors(attempts: AttemptInfo[]): boolean {
  return attempts.some((attempt) => attempt.error !== null);
}

interface SummaryProps {
  task: TaskStatus;
  dedupeKey: string | null;
  withError: boolean;
}

function Summary({ task, dedupeKey, withError }: SummaryProps) {
  const job = jobOf(task);
  return (
    <Panel>
      <div className="grid gap-4 md:grid-cols-2">
        <Facts
          facts={[
            ["State", <StatusBadge key="state" status={task.status} />],
            [
              "Run",
              <Link key="run" to="/runs/$runId" params={{ runId: task.run_id }} className="underline">
                {shortId(task.run_id)}
              </Link>,
            ],
            ["Type", task.type],
            [
              "Job",
              job === null ? null : (
                <Link key="job" to="/dags/$name" params={{ name: job.dag }} className="underline">
                  {`${job.dag} / ${job.name}, version ${job.version}`}
                </Link>
              ),
            ],
            ["Partition", task.partitions?.join(", ")],
            ["Queue", task.queue],
            ["Labels", task.labels.length > 0 ? task.labels.join(", ") : null],
            ["Priority", task.priority],
            ["Dedupe key", dedupeKey],
            ["Progress", task.progress === null ? null : `${Math.round(task.progress * 100)} % ${task.message ?? ""}`],
          ]}
        />
        <Facts
          facts={[
            ["Attempt", `${task.attempt} of ${task.max_attempts}`],
            ["Worker", task.worker_id === null ? null : <WorkerLink key="worker" id={task.worker_id} />],
            ["Lease ends", task.lease_expires_at === null ? null : <Time key="lease" at={task.lease_expires_at} />],
            ["Created", <Time key="created" at={task.created_at} />],
            ["Started", <Time key="started" at={task.started_at} />],
            ["Took", <Duration key="took" from={task.started_at} until={task.completed_at} />],
            ["Next retry", task.next_retry_at === null ? null : <Time key="retry" at={task.next_retry_at} />],
            ["Deadline", task.deadline_at === null ? null : <Time key="deadline" at={task.deadline_at} />],
          ]}
        />
      </div>
      {withError && task.error !== null && (
        <div className="mt-4 border-t border-line pt-4">
          <ErrorView error={task.error} />
        </div>
      )}
    </Panel>
  );
}

function Actions({ task }: { task: TaskStatus }) {
  const cancel = useCancelTask();
  const { retryHere, busy } = useRetryHere(task);
  const confirm = useConfirm();
  const act = useAct();
  const mayCancel = useMay("tasks:write");
  const mayRetry = useMay("runs:write");
  const path = { task_id: task.id };
  const cancelTask = async () => {
    const agreed = await confirm({
      title: "Cancel this task?",
      happens: "The task and all that it started are cancelled; tasks that depend on it do not run.",
      undo: "You can retry its run afterwards, from this task on.",
      action: "Cancel the task",
      danger: true,
    });
    if (agreed) await act(() => cancel.mutateAsync({ path }), "The task is being cancelled.");
  };
  if (isFinal(task.status)) {
    return mayRetry && isOrigin(task) ? (
      <Button kind="primary" busy={busy} onClick={() => void retryHere()}>
        Retry from here
      </Button>
    ) : null;
  }
  return mayCancel ? (
    <Button kind="danger" busy={cancel.isPending} onClick={() => void cancelTask()}>
      Cancel
    </Button>
  ) : null;
}
