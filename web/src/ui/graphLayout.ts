import dagre from "@dagrejs/dagre";

import type { Tone } from "./Status";

export const NODE_WIDTH = 190;
export const NODE_HEIGHT = 46;

export interface GraphNode {
  id: string;
  title: string;
  about: string;
  tone: Tone;
  /** Drawn with a border in the colour of links, such as the thing that a graph is about. */
  marked?: boolean;
  /** Something happens to it now. */
  moving?: boolean;
}

export interface GraphEdge {
  from: string;
  to: string;
  dashed?: boolean;
}

export interface Position {
  x: number;
  y: number;
}

/** Places every node to the right of those that it depends on. */
export function place(nodes: GraphNode[], edges: GraphEdge[]): Map<string, Position> {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: "LR", nodesep: 16, ranksep: 56, ranker: "longest-path" });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const node of nodes) graph.setNode(node.id, { width: NODE_WIDTH, height: NODE_HEIGHT });
  for (const edge of edges) graph.setEdge(edge.from, edge.to);
  dagre.layout(graph);
  return new Map(
    nodes.map((node) => {
      const { x, y } = graph.node(node.id) as Position;
      return [node.id, { x: x - NODE_WIDTH / 2, y: y - NODE_HEIGHT / 2 }];
    }),
  );
}
