import { useNavigate } from "@tanstack/react-router";

import { useJob } from "../../api/dags";
import { useLineage } from "../../api/datasets";
import type { LineageGraph, LineageNode, WholeDataset } from "../../api/schema";
import { Choice } from "../../ui/Filters";
import { Graph } from "../../ui/Graph";
import type { GraphEdge, GraphNode } from "../../ui/graphSizes";
import { Panel } from "../../ui/Page";
import { Empty, Loaded } from "../../ui/States";
import { outputOf } from "./output";
import type { DatasetSearch } from "./route";

const DIRECTIONS = [
  ["up", "what it comes from"],
  ["down", "what comes from it"],
] as const;

interface LineageProps {
  dataset: WholeDataset;
  search: DatasetSearch;
  change: (next: Partial<DatasetSearch>) => void;
}

/** What a dataset or a column was computed from, and what was computed from it, at any version. */
export function Lineage({ dataset, search, change }: LineageProps) {
  const job = useJob(dataset.dag, dataset.job);
  const columns = outputOf(job.data, dataset)?.columns ?? [];
  const lineage = useLineage({
    dataset: dataset.name,
    column: search.column,
    version_id: search.version,
    direction: search.direction ?? "both",
  });
  return (
    <>
      <div className="flex flex-wrap gap-3">
        <Choice
          label="Column"
          all="the whole dataset"
          options={columns.map((column) => column.name)}
          value={search.column}
          onChange={(column) => change({ column })}
        />
        <Choice
          label="Show"
          all="both directions"
          options={DIRECTIONS}
          value={search.direction === "both" ? undefined : search.direction}
          onChange={(direction) => change({ direction: direction as DatasetSearch["direction"] })}
        />
      </div>
      <Panel flush>
        <Loaded read={lineage}>
          {(found) =>
            found.nodes.length === 0 ? (
              <Empty title="Nothing is known about this column or version yet." />
            ) : (
              <Drawn lineage={found} />
            )
          }
        </Loaded>
      </Panel>
      {lineage.data?.truncated === true && (
        <p className="text-sm text-warn">There is more: choose a column or one direction to see all of it.</p>
      )}
      <p className="text-xs text-muted">
        A dashed line: the column only decides which rows are used, as in a filter. Click a box to continue from there.
      </p>
    </>
  );
}

function Drawn({ lineage }: { lineage: LineageGraph }) {
  const navigate = useNavigate();
  const known = new Map(lineage.nodes.map((node) => [node.id, node]));
  const open = (id: string) => {
    const node = known.get(id);
    if (node === undefined) return;
    const search: DatasetSearch = { tab: "lineage", column: node.column ?? undefined };
    void navigate({ to: "/datasets/$name", params: { name: node.dataset }, search });
  };
  return (
    <Graph
      key={lineage.nodes.map((node) => node.id).join(" ")}
      label="Lineage"
      nodes={lineage.nodes.map((node) => boxOf(node, lineage.root))}
      edges={edgesOf(lineage)}
      open={open}
    />
  );
}

function boxOf(node: LineageNode, root: string | null): GraphNode {
  const place = node.current ? node.dag : `${node.dag}, not current`;
  return {
    id: node.id,
    title: node.column ?? node.dataset,
    about: node.column === null ? place : `${node.dataset} · ${place}`,
    tone: node.current ? "info" : "grey",
    marked: node.id === root,
  };
}

/** One line between two boxes, dashed if every way between them is indirect. */
function edgesOf(lineage: LineageGraph): GraphEdge[] {
  const direct = new Map<string, GraphEdge>();
  for (const edge of lineage.edges) {
    const key = `${edge.from} ${edge.to}`;
    const dashed = edge.kind === "indirect" && direct.get(key)?.dashed !== false;
    direct.set(key, { from: edge.from, to: edge.to, dashed });
  }
  return [...direct.values()];
}
