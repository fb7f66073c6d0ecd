import "@xyflow/react/dist/base.css";

import { Background, Controls, Handle, MarkerType, Position, ReactFlow, type Node, type NodeProps } from "@xyflow/react";
import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";

import { useRunGraph } from "../../api/runs";
import type { RunGraphNode } from "../../api/schema";
import { Panel } from "../../ui/Page";
import { Empty, Loaded } from "../../ui/States";
import { toneFill, toneOf } from "../../ui/Status";
import { edgesOf, NODE_HEIGHT, NODE_WIDTH, place } from "./layout";

type TaskNode = Node<{ task: RunGraphNode }, "task">;

const NODE_TYPES = { task: TaskBox };

/** The tasks of a run as a graph with live states; a click opens a task. */
export function RunGraph({ runId, open }: { runId: string; open: boolean }) {
  const graph = useRunGraph(runId, open);
  return (
    <Panel flush>
      <Loaded read={graph}>
        {(found) => (found.items.length === 0 ? <Empty title="The run has no tasks." /> : <Flow tasks={found.items} />)}
      </Loaded>
    </Panel>
  );
}

function Flow({ tasks }: { tasks: RunGraphNode[] }) {
  const navigate = useNavigate();
  // The layout depends on the edges alone; a new state only changes the colour of a node.
  const shape = JSON.stringify(tasks.map((task) => [task.task_id, task.parent_id, task.depends_on]));
  const edges = useMemo(() => edgesOf(tasks), [shape]); // eslint-disable-line react-hooks/exhaustive-deps -- see above
  const placed = useMemo(() => place(tasks, edges), [shape]); // eslint-disable-line react-hooks/exhaustive-deps -- same
  const now = new Map(tasks.map((task) => [task.task_id, task]));
  const nodes: TaskNode[] = placed.map(({ node, x, y }) => ({
    id: node.task_id,
    type: "task",
    position: { x, y },
    data: { task: now.get(node.task_id) ?? node },
    width: NODE_WIDTH,
    height: NODE_HEIGHT,
    ariaLabel: `${node.name ?? node.type}: ${now.get(node.task_id)?.status ?? node.status}`,
  }));
  return (
    <div className="h-[60vh] min-h-80" role="region" aria-label="Graph of the run">
      <ReactFlow
        nodes={nodes}
        edges={edges.map((edge) => ({
          id: `${edge.from} ${edge.to}`,
          source: edge.from,
          target: edge.to,
          className: edge.started ? "[stroke-dasharray:4]" : "",
          markerEnd: { type: MarkerType.ArrowClosed },
        }))}
        nodeTypes={NODE_TYPES}
        onNodeClick={(_, node) => void navigate({ to: "/tasks/$taskId", params: { taskId: node.id } })}
        nodesDraggable={false}
        nodesConnectable={false}
        edgesFocusable={false}
        onlyRenderVisibleElements={tasks.length > 200}
        minZoom={0.05}
        fitView
        fitViewOptions={{ maxZoom: 1.1 }}
        proOptions={{ hideAttribution: false }}
      >
        <Background gap={24} />
        <Controls showInteractive={false} />
      </ReactFlow>
    </div>
  );
}

function TaskBox({ data }: NodeProps<TaskNode>) {
  const { task } = data;
  const tone = toneOf(task.status);
  return (
    <div
      title={`${task.name ?? task.type}: ${task.status}`}
      className="flex h-full w-full cursor-pointer items-center gap-2 overflow-hidden rounded-md border border-line
        bg-panel pr-2 text-left text-xs shadow-sm hover:border-accent"
    >
      <span className={`h-full w-1.5 shrink-0 ${toneFill(tone)} ${tone === "info" ? "animate-pulse" : ""}`} />
      <span className="min-w-0">
        <span className="block truncate font-medium">{task.name ?? task.type}</span>
        <span className="block truncate text-muted">
          {task.status}
          {task.attempt > 1 ? ` · attempt ${task.attempt}` : ""}
        </span>
      </span>
      <Handle type="target" position={Position.Left} className="invisible" isConnectable={false} />
      <Handle type="source" position={Position.Right} className="invisible" isConnectable={false} />
    </div>
  );
}
