import dagre from "@dagrejs/dagre";

import { NODE_HEIGHT, NODE_WIDTH, type GraphEdge, type GraphNode, type Position } from "./graphSizes";
import { placeMany } from "./largeLayout";

const MAX_DAGRE_NODES = 150;

/** Places every node to the right of those that it depends on, or below them; very many always to the right. */
export function place(nodes: GraphNode[], edges: GraphEdge[], down = false): Map<string, Position> {
  if (nodes.length > MAX_DAGRE_NODES) return placeMany(nodes.map((node) => node.id), edges);
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: down ? "TB" : "LR", nodesep: 16, ranksep: 56, ranker: "longest-path" });
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
