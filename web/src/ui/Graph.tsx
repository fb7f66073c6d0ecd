import "@xyflow/react/dist/base.css";

import {
  Background,
  Controls,
  Handle,
  MarkerType,
  Position,
  ReactFlow,
  type Node,
  type NodeProps,
} from "@xyflow/react";
import { useMemo, useState } from "react";

import { place } from "./graphLayout";
import { NODE_HEIGHT, NODE_WIDTH, type GraphEdge, type GraphNode } from "./graphSizes";
import { toneFill } from "./Status";

type BoxNode = Node<{ box: GraphNode; clickable: boolean; down: boolean }, "box">;

const NODE_TYPES = { box: Box };
const PHONE = "(max-width: 640px)";

interface GraphProps {
  label: string;
  nodes: GraphNode[];
  edges: GraphEdge[];
  open?: (id: string) => void;
  className?: string;
}

/** A graph from left to right, on a phone from top to bottom, that can be moved and zoomed; a click opens a node. */
export function Graph({ label, nodes, edges, open, className = "h-[60vh] min-h-80" }: GraphProps) {
  // The layout depends on the edges alone; a new state only changes the colour of a node.
  const shape = JSON.stringify([nodes.map((node) => node.id), edges]);
  const [down] = useState(() => window.matchMedia(PHONE).matches);
  // eslint-disable-next-line react-hooks/exhaustive-deps -- see above
  const places = useMemo(() => place(nodes, edges, down), [shape, down]);
  const drawn = nodes.map((node): BoxNode => ({
    id: node.id,
    type: "box",
    position: places.get(node.id) ?? { x: 0, y: 0 },
    data: { box: node, clickable: open !== undefined, down },
    width: NODE_WIDTH,
    height: NODE_HEIGHT,
    ariaLabel: `${node.title}: ${node.about}`,
  }));
  return (
    <div className={className} role="region" aria-label={label}>
      <ReactFlow
        nodes={drawn}
        edges={edges.map((edge) => ({
          id: `${edge.from} ${edge.to}`,
          source: edge.from,
          target: edge.to,
          className: edge.dashed === true ? "[stroke-dasharray:4]" : "",
          markerEnd: { type: MarkerType.ArrowClosed },
        }))}
        nodeTypes={NODE_TYPES}
        onNodeClick={(_, node) => open?.(node.id)}
        nodesDraggable={false}
        nodesConnectable={false}
        edgesFocusable={false}
        onlyRenderVisibleElements={nodes.length > 200}
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

function Box({ data }: NodeProps<BoxNode>) {
  const { box, clickable, down } = data;
  return (
    <div
      title={`${box.title}: ${box.about}`}
      className={`flex h-full w-full items-center gap-2 overflow-hidden rounded-md border bg-panel pr-2 text-left
        text-xs shadow-sm ${box.marked === true ? "border-accent" : "border-line"}
        ${clickable ? "cursor-pointer hover:border-accent" : ""}`}
    >
      <span className={`h-full w-1.5 shrink-0 ${toneFill(box.tone)} ${box.moving === true ? "animate-pulse" : ""}`} />
      <span className="min-w-0">
        <span className="block truncate font-medium">{box.title}</span>
        <span className="block truncate text-muted">{box.about}</span>
      </span>
      <Handle
        type="target"
        position={down ? Position.Top : Position.Left}
        className="invisible"
        isConnectable={false}
      />
      <Handle
        type="source"
        position={down ? Position.Bottom : Position.Right}
        className="invisible"
        isConnectable={false}
      />
    </div>
  );
}
