import type { Partition } from "../../api/schema";
import type { Tone } from "../../ui/Status";

export interface Cell {
  key: string;
  partition: Partition | null;
  tone: Tone;
  /** From 0 to 1: how many rows the partition has, compared with the largest. */
  heat: number;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DAY_MS = 86_400_000;
const MAX_GAPS = 1000;

/** The cells of the heat strip: one per partition, and an empty one for each day between two that has none. */
export function cellsOf(partitions: Partition[]): Cell[] {
  const most = Math.max(1, ...partitions.map((partition) => partition.rows ?? 0));
  const cells: Cell[] = [];
  let gaps = 0;
  for (const partition of partitions) {
    const key = partition.partition ?? "";
    const last = cells.at(-1)?.key;
    for (const day of last === undefined || gaps > MAX_GAPS ? [] : daysBetween(last, key)) {
      cells.push({ key: day, partition: null, tone: "grey", heat: 0 });
      gaps += 1;
    }
    cells.push({ key, partition, tone: toneOfChecks(partition), heat: (partition.rows ?? most) / most });
  }
  return cells;
}

function daysBetween(first: string, last: string): string[] {
  if (!DAY.test(first) || !DAY.test(last)) return [];
  const days: string[] = [];
  for (let at = Date.parse(first) + DAY_MS; at < Date.parse(last) && days.length <= MAX_GAPS; at += DAY_MS) {
    days.push(new Date(at).toISOString().slice(0, 10));
  }
  return days.length > MAX_GAPS ? [] : days;
}

/** Failed checks decide the colour; a check that only warns is less than one that fails. */
export function toneOfChecks(partition: Partition): Tone {
  const failed = partition.checks.filter((check) => check.passed === false);
  if (failed.length === 0) return "ok";
  return failed.some((check) => check.severity !== "warn") ? "bad" : "warn";
}
