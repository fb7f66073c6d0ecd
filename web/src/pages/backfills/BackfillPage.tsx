import { Link } from "@tanstack/react-router";

import { useBackfill, useBackfillTasks } from "../../api/events";
import type { Backfill, BackfillTask } from "../../api/schema";
import { Copy } from "../../ui/Copy";
import { DataTable, type Column } from "../../ui/DataTable";
import { Facts, Figure, Page, Panel } from "../../ui/Page";
import { Person } from "../../ui/Person";
import { Empty, Loaded } from "../../ui/States";
import { StatusBadge } from "../../ui/Status";
import { Duration, Time } from "../../ui/Time";
import { formatCount } from "../../ui/time";
import { BackfillActions, BackfillProgress, scopeOf } from "./BackfillParts";
import { backfillRoute } from "./route";

const TASKS: Column<BackfillTask>[] = [
  {
    name: "State",
    cell: (task) => <StatusBadge status={task.failed ? "failed" : "open"} tone={task.failed ? "bad" : "info"} />,
  },
  {
    name: "Task",
    cell: (task) => (
      <Link to="/tasks/$taskId" params={{ taskId: task.task_id }} className="font-mono text-xs underline">
        {task.task_id.slice(-8)}
      </Link>
    ),
  },
  { name: "Job", cell: (task) => (task.direct ? (task.job ?? "–") : `${task.job ?? "–"} (follows)`) },
  { name: "Partition", cell: (task) => task.partition ?? "–" },
  { name: "Error", cell: (task) => <span className="line-clamp-1 text-bad">{task.error}</span>, wide: true },
];

export function BackfillPage() {
  const { backfillId } = backfillRoute.useParams();
  const backfill = useBackfill(backfillId);
  return (
    <Loaded read={backfill}>
      {(found) => (
        <Page
          title={`Backfill of ${found.dataset}`}
          about={<Copy text={found.id} />}
          actions={<BackfillActions backfill={found} />}
        >
          <Summary backfill={found} />
          <Figures backfill={found} />
          <Tasks id={found.id} ended={found.ended_at !== null} />
        </Page>
      )}
    </Loaded>
  );
}

function Summary({ backfill }: { backfill: Backfill }) {
  return (
    <Panel>
      <div className="grid gap-4 md:grid-cols-2">
        <Facts
          facts={[
            ["State", <StatusBadge key="state" status={backfill.status} />],
            ["Progress", <BackfillProgress key="progress" backfill={backfill} />],
            ["Partitions", scopeOf(backfill)],
            ["Reason", backfill.reason],
            ["Error", backfill.error],
          ]}
        />
        <Facts
          facts={[
            ["Started", <Time key="started" at={backfill.created_at} />],
            ["Took", <Duration key="took" from={backfill.created_at} until={backfill.ended_at} />],
            [
              "Computes",
              { none: "what is missing", failed: "what is missing or failed", all: "everything again" }[
                backfill.reprocess
              ],
            ],
            ["Tasks at a time", formatCount(backfill.concurrency)],
            ["Started by", <Person key="by" id={backfill.created_by} />],
          ]}
        />
      </div>
    </Panel>
  );
}

function Figures({ backfill }: { backfill: Backfill }) {
  return (
    <div className="grid grid-cols-2 gap-3 md:grid-cols-4">
      <Figure
        name="Partitions computed"
        value={formatCount(backfill.completed)}
        about={`${formatCount(backfill.started)} started`}
      />
      <Figure name="Skipped" value={formatCount(backfill.skipped)} />
      <Figure name="Failed" value={formatCount(backfill.failed)} bad={backfill.failed > 0} />
      <Figure
        name="Tasks that followed"
        value={formatCount(backfill.downstream_completed)}
        about={`${formatCount(backfill.downstream_failed)} failed`}
        bad={backfill.downstream_failed > 0}
      />
    </div>
  );
}

function Tasks({ id, ended }: { id: string; ended: boolean }) {
  const tasks = useBackfillTasks(id);
  return (
    <Panel title="Tasks that are open or failed" flush>
      <Loaded read={tasks}>
        {() => (
          <DataTable
            label="Tasks of the backfill"
            rows={tasks.rows}
            columns={TASKS}
            rowKey={(task) => task.task_id}
            more={{ has: tasks.hasNextPage, busy: tasks.isFetchingNextPage, load: tasks.fetchNextPage }}
            empty={<Empty title={ended ? "Every task completed." : "No task is open."} />}
          />
        )}
      </Loaded>
    </Panel>
  );
}
