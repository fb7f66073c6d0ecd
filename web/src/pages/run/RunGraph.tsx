import { Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";

import { useRunGraph } from "../../api/runs";
import type { RunGraphNode } from "../../api/schema";
import { useMay } from "../../api/session";
import { Button } from "../../ui/Button";
import { Graph } from "../../ui/Graph";
import type { GraphEdge, GraphNode } from "../../ui/graphSizes";
import { Panel } from "../../ui/Page";
import { Empty, Loaded } from "../../ui/States";
import { StatusBadge, toneOf } from "../../ui/Status";
import { formatCount } from "../../ui/time";
import { isOrigin, useRetryHere } from "../task/retryHere";
import { groupTasks, statusOf, type Group } from "./groupTasks";

/** The tasks of a run as a graph with live states; a click selects a task. */
export function RunGraph({ runId, open }: { runId: string; open: boolean }) {
  const graph = useRunGraph(runId, open);
  return (
    <Panel flush>
      <Loaded read={graph}>
        {(found) =>
          found.items.length === 0 ? (
            <Empty title="The run has no tasks." />
          ) : (
            <Tasks runId={runId} tasks={found.items} open={open} />
          )
        }
      </Loaded>
    </Panel>
  );
}

function Tasks({ runId, tasks, open }: { runId: string; tasks: RunGraphNode[]; open: boolean }) {
  const navigate = useNavigate();
  const [single, setSingle] = useState(false);
  const [selectedId, setSelectedId] = useState<string>();
  const selected = tasks.find((task) => task.task_id === selectedId);
  const grouped = groupTasks(tasks);
  const groups = single ? tasks.map((task): Group => ({ id: task.task_id, tasks: [task] })) : grouped;
  const select = (id: string) => {
    const group = groups.find((found) => found.id === id);
    if (group === undefined || group.tasks.length === 1) setSelectedId(id);
    else void navigate({ to: "/runs/$runId", params: { runId }, search: { tab: "tasks" } });
  };
  return (
    <div className="relative">
      {grouped.length < tasks.length && (
        <Button className="absolute top-3 right-3 z-10" onClick={() => setSingle(!single)}>
          {single ? "Group equal tasks" : `Show all ${formatCount(tasks.length)} tasks`}
        </Button>
      )}
      <Graph
        key={String(single)}
        label="Graph of the run"
        nodes={groups.map((group) => ({ ...nodeOf(group), marked: group.id === selectedId }))}
        edges={edgesOf(groups)}
        open={select}
      />
      {selected !== undefined && <Selected task={selected} runOpen={open} />}
    </div>
  );
}

/** The selected task below the graph, and what can be done with it. */
function Selected({ task, runOpen }: { task: RunGraphNode; runOpen: boolean }) {
  const { retryHere, busy } = useRetryHere({ id: task.task_id, name: task.name, type: task.type });
  const mayRetry = useMay("runs:write") && !runOpen && isOrigin(task);
  const shown = useRef<HTMLElement>(null);
  useEffect(() => {
    shown.current?.scrollIntoView({ block: "nearest" }); // in braces, because newer browsers return a promise
  }, [task.task_id]);
  return (
    <section
      ref={shown}
      aria-label="Selected task"
      className="flex flex-wrap items-center justify-between gap-3 border-t border-line px-4 py-2.5 text-sm"
    >
      <span className="flex min-w-0 items-center gap-3">
        <StatusBadge status={task.status} />
        <Link
          to="/tasks/$taskId"
          params={{ taskId: task.task_id }}
          className="min-w-0 truncate font-medium underline"
        >
          {task.name ?? task.type}
        </Link>
      </span>
      {mayRetry && (
        <Button busy={busy} onClick={() => void retryHere()}>
          Retry from here
        </Button>
      )}
    </section>
  );
}

function nodeOf(group: Group): GraphNode {
  const [task, ...others] = group.tasks;
  const status = statusOf(group);
  const ended = group.tasks.filter((one) => one.completed_at !== null).length;
  const attempt = task.attempt > 1 ? `${task.status} · attempt ${task.attempt}` : task.status;
  return {
    id: group.id,
    title: others.length === 0 ? (task.name ?? task.type) : `${task.type} × ${formatCount(group.tasks.length)}`,
    about: others.length === 0 ? attempt : `${status} · ${formatCount(ended)} ended`,
    tone: toneOf(status),
    moving: status === "running",
  };
}

/** The edges between groups that are both shown; a dashed one leads from a task to one that it started. */
function edgesOf(groups: Group[]): GraphEdge[] {
  const of = new Map(groups.flatMap((group) => group.tasks.map((task) => [task.task_id, group.id] as const)));
  const edges = new Map<string, GraphEdge>();
  const add = (parent: string | null, to: string, dashed: boolean) => {
    const from = of.get(parent ?? "");
    if (from !== undefined && from !== to) edges.set(`${from} ${to}`, { from, to, dashed });
  };
  for (const group of groups) {
    for (const task of group.tasks) {
      add(task.parent_id, group.id, true);
      for (const parent of task.depends_on) add(parent, group.id, false);
    }
  }
  return [...edges.values()];
}
