import { Link } from "@tanstack/react-router";

import type { AttemptInfo, SignalInfo, StepInfo, TaskStatus, TreeNode } from "../../api/schema";
import { useTaskLogs, useTaskTree } from "../../api/tasks";
import { DataTable, type Column } from "../../ui/DataTable";
import { ErrorView, Json } from "../../ui/Json";
import { LogLines } from "../../ui/LogLines";
import { Panel } from "../../ui/Page";
import { Empty, Loaded } from "../../ui/States";
import { StatusBadge } from "../../ui/Status";
import { Duration, Time } from "../../ui/Time";
import { WorkerLink } from "./WorkerLink";

/** Every attempt: where it ran, how long, and how it ended. */
export function Attempts({ attempts }: { attempts: AttemptInfo[] }) {
  if (attempts.length === 0) return <Panel><Empty title="No attempt has begun yet." /></Panel>;
  return (
    <ol className="flex flex-col gap-3">
      {[...attempts].reverse().map((attempt) => (
        <li key={attempt.attempt} className="rounded-lg border border-line bg-panel p-4">
          <div className="flex flex-wrap items-center gap-x-6 gap-y-2 text-sm">
            <span className="font-medium">Attempt {attempt.attempt}</span>
            <StatusBadge status={attempt.outcome} />
            <span>
              <span className="text-muted">worker </span>
              {attempt.worker_id === null ? "–" : <WorkerLink id={attempt.worker_id} />}
            </span>
            <span>
              <span className="text-muted">began </span>
              <Time at={attempt.started_at} />
            </span>
            <span>
              <span className="text-muted">took </span>
              <Duration from={attempt.started_at} until={attempt.ended_at} />
            </span>
          </div>
          {attempt.error !== null && (
            <div className="mt-3">
              <ErrorView error={attempt.error} />
            </div>
          )}
        </li>
      ))}
    </ol>
  );
}

export function Data({ task }: { task: TaskStatus }) {
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <Panel title="Input">
        <Json value={task.input} none="No input." />
      </Panel>
      <Panel title="Output">
        <Json value={task.output} none="No output yet." />
      </Panel>
      <Panel title="Metadata">
        <Json value={task.metadata} none="No metadata." />
      </Panel>
    </div>
  );
}

const STEPS: Column<StepInfo>[] = [
  { name: "No", cell: (step) => step.step_no, numeric: true },
  { name: "Step", cell: (step) => step.name },
  { name: "Kind", cell: (step) => step.kind },
  { name: "Tries", cell: (step) => step.tries, numeric: true },
  { name: "Recorded", cell: (step) => <Time at={step.created_at} /> },
  { name: "Value", cell: (step) => <Short value={step.error ?? step.value} />, wide: true },
];

const SIGNALS: Column<SignalInfo>[] = [
  { name: "Signal", cell: (signal) => signal.name },
  { name: "Sent", cell: (signal) => <Time at={signal.sent_at} /> },
  { name: "Taken", cell: (signal) => <Time at={signal.taken_at} none="not yet" /> },
  { name: "Value", cell: (signal) => <Short value={signal.value} />, wide: true },
];

function Short({ value }: { value: unknown }) {
  if (value === null || value === undefined) return <span className="text-muted">–</span>;
  return <span className="line-clamp-2 font-mono text-xs [overflow-wrap:anywhere]">{JSON.stringify(value)}</span>;
}

export function Steps({ steps, signals }: { steps: StepInfo[]; signals: SignalInfo[] }) {
  return (
    <div className="flex flex-col gap-4">
      <Panel title="Recorded steps" flush>
        <DataTable
          label="Steps"
          rows={steps}
          columns={STEPS}
          rowKey={(step) => String(step.step_no)}
          empty={<Empty title="The task has recorded no steps. ctx.step(…) records one." />}
        />
      </Panel>
      <Panel title="Signals of the run" flush>
        <DataTable
          label="Signals"
          rows={signals}
          columns={SIGNALS}
          rowKey={(signal) => `${signal.name} ${signal.sent_at}`}
          empty={<Empty title="No signal was sent to the run." command="tenuto signal RUN NAME" />}
        />
      </Panel>
    </div>
  );
}

const CHILDREN: Column<TreeNode>[] = [
  { name: "State", cell: (node) => <StatusBadge status={node.status} /> },
  {
    name: "Task",
    cell: (node) => (
      <Link to="/tasks/$taskId" params={{ taskId: node.id }} className="hover:underline">
        {"· ".repeat(node.depth)}
        {node.name ?? node.type}
      </Link>
    ),
  },
  { name: "Attempt", cell: (node) => node.attempt, numeric: true },
  { name: "Ended", cell: (node) => <Time at={node.completed_at} /> },
];

export function Children({ taskId }: { taskId: string }) {
  const tree = useTaskTree(taskId);
  return (
    <Panel flush>
      <Loaded read={tree}>
        {(found) => (
          <DataTable
            label="Children"
            rows={found.items.filter((node) => node.id !== taskId)}
            columns={CHILDREN}
            rowKey={(node) => node.id}
            empty={<Empty title="The task has started no other tasks." />}
          />
        )}
      </Loaded>
    </Panel>
  );
}

export function Logs({ taskId, open }: { taskId: string; open: boolean }) {
  const logs = useTaskLogs(taskId, open);
  return (
    <Panel flush>
      <Loaded read={logs}>
        {(found) =>
          found.items.length === 0 ? (
            <Empty title="The task has logged nothing." />
          ) : (
            <LogLines
              lines={found.items.map((line) => ({
                key: `${line.attempt}-${line.line_no}`,
                at: line.logged_at,
                level: line.level,
                source: `attempt ${line.attempt}`,
                message: line.message,
                fields: line.fields,
              }))}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}
