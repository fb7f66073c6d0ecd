import dagre from "@dagrejs/dagre";

import type { RunGraphNode } from "../../api/schema";

export const NODE_WIDTH = 190;
export const NODE_HEIGHT = 46;

export interface Placed {
  node: RunGraphNode;
  x: number;
  y: number;
}

export interface Edge {
  from: string;
  to: string;
  /** A dashed edge leads from a task to one that it started. */
  started: boolean;
}

/** The edges between tasks that are both shown. */
export function edgesOf(nodes: RunGraphNode[]): Edge[] {
  const known = new Set(nodes.map((node) => node.task_id));
  return nodes.flatMap((node) => [
    ...node.depends_on
      .filter((parent) => known.has(parent))
      .map((parent) => ({ from: parent, to: node.task_id, started: false })),
    ...(node.parent_id !== null && known.has(node.parent_id)
      ? [{ from: node.parent_id, to: node.task_id, started: true }]
      : []),
  ]);
}

/** Places every task to the right of those that it depends on. */
export function place(nodes: RunGraphNode[], edges: Edge[]): Placed[] {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: "LR", nodesep: 16, ranksep: 56, ranker: "longest-path" });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const node of nodes) graph.setNode(node.task_id, { width: NODE_WIDTH, height: NODE_HEIGHT });
  for (const edge of edges) graph.setEdge(edge.from, edge.to);
  dagre.layout(graph);
  return nodes.map((node) => {
    const { x, y } = graph.node(node.task_id) as { x: number; y: number };
    return { node, x: x - NODE_WIDTH / 2, y: y - NODE_HEIGHT / 2 };
  });
}
