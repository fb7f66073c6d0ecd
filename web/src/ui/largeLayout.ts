import { NODE_HEIGHT, NODE_WIDTH, type GraphEdge, type Position } from "./graphSizes";

const COLUMN = NODE_WIDTH + 56;
const ROW = NODE_HEIGHT + 16;
const MAX_ROWS = 40;
const SWEEPS = 4;

/** Places many nodes in linear time: every node to the right of those that it depends on, near them, and a rank of many
 * nodes in several columns. Edges may cross nodes; dagre avoids that, and takes seconds for 1,000 nodes. */
export function placeMany(ids: string[], edges: GraphEdge[]): Map<string, Position> {
  const before = neighbours(ids, edges, "to", "from");
  const after = neighbours(ids, edges, "from", "to");
  const ranks = ranked(ids, before, after);
  const order = new Map(ids.map((id, index) => [id, index]));
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    for (const rank of sweep % 2 === 0 ? ranks : ranks.toReversed())
      sort(rank, sweep % 2 === 0 ? before : after, order);
  }
  const places = new Map<string, Position>();
  let x = 0;
  for (const rank of ranks) {
    const rows = Math.min(rank.length, MAX_ROWS);
    rank.forEach((id, index) => {
      places.set(id, { x: x + Math.floor(index / rows) * COLUMN, y: ((index % rows) - (rows - 1) / 2) * ROW });
    });
    x += Math.ceil(rank.length / rows) * COLUMN;
  }
  return places;
}

type Neighbours = Map<string, string[]>;

function neighbours(ids: string[], edges: GraphEdge[], of: "from" | "to", other: "from" | "to"): Neighbours {
  const found: Neighbours = new Map(ids.map((id) => [id, []]));
  for (const edge of edges) if (found.has(edge[other])) found.get(edge[of])?.push(edge[other]);
  return found;
}

/** Groups the nodes by the length of the longest way to them. Nodes of a cycle, which runs do not have, come first. */
function ranked(ids: string[], before: Neighbours, after: Neighbours): string[][] {
  const missing = new Map(ids.map((id) => [id, before.get(id)?.length ?? 0]));
  const rankOf = new Map(ids.map((id) => [id, 0]));
  const ready = ids.filter((id) => missing.get(id) === 0);
  for (const id of ready) {
    for (const next of after.get(id) ?? []) {
      rankOf.set(next, Math.max(rankOf.get(next) ?? 0, (rankOf.get(id) ?? 0) + 1));
      const left = (missing.get(next) ?? 0) - 1;
      missing.set(next, left);
      if (left === 0) ready.push(next); // the loop goes on with it
    }
  }
  const ranks: string[][] = [];
  for (const id of ids) (ranks[rankOf.get(id) ?? 0] ??= []).push(id);
  return ranks.filter((rank) => rank.length > 0);
}

/** Orders a rank by the mean place of the neighbours of each node, which removes most crossings. */
function sort(rank: string[], beside: Neighbours, order: Map<string, number>): void {
  const mean = (id: string): number => {
    const places = (beside.get(id) ?? []).map((other) => order.get(other) ?? 0);
    return places.length === 0 ? (order.get(id) ?? 0) : places.reduce((sum, place) => sum + place, 0) / places.length;
  };
  const means = new Map(rank.map((id) => [id, mean(id)]));
  rank.sort((a, b) => (means.get(a) ?? 0) - (means.get(b) ?? 0));
  rank.forEach((id, index) => order.set(id, index / rank.length));
}
