export interface DiffLine {
  kind: "same" | "added" | "removed" | "gap";
  text: string;
}

const CONTEXT = 3;

/** The lines that differ between two texts, with some lines around them. */
export function diffLines(before: string, after: string): DiffLine[] {
  return shortened(allLines(before.trimEnd().split("\n"), after.trimEnd().split("\n")));
}

/** Follows a longest common subsequence, which takes the time of the product of the lengths. */
function allLines(before: string[], after: string[]): DiffLine[] {
  const common = Array.from({ length: before.length + 1 }, () => new Uint32Array(after.length + 1));
  const length = (old: number, now: number) => common[old]?.[now] ?? 0;
  for (let old = before.length - 1; old >= 0; old -= 1) {
    for (let now = after.length - 1; now >= 0; now -= 1) {
      const row = common[old];
      if (row === undefined) continue;
      row[now] =
        before[old] === after[now]
          ? length(old + 1, now + 1) + 1
          : Math.max(length(old + 1, now), length(old, now + 1));
    }
  }
  const lines: DiffLine[] = [];
  let [old, now] = [0, 0];
  while (old < before.length || now < after.length) {
    if (old < before.length && now < after.length && before[old] === after[now]) {
      lines.push({ kind: "same", text: before[old] ?? "" });
      old += 1;
      now += 1;
    } else if (now >= after.length || (old < before.length && length(old + 1, now) >= length(old, now + 1))) {
      lines.push({ kind: "removed", text: before[old] ?? "" });
      old += 1;
    } else {
      lines.push({ kind: "added", text: after[now] ?? "" });
      now += 1;
    }
  }
  return lines;
}

/** Leaves out equal lines that are far from every change. */
function shortened(lines: DiffLine[]): DiffLine[] {
  const near = new Set<number>();
  lines.forEach((line, index) => {
    if (line.kind === "same") return;
    for (let other = index - CONTEXT; other <= index + CONTEXT; other += 1) near.add(other);
  });
  return lines.flatMap((line, index): DiffLine[] => {
    if (near.has(index)) return [line];
    return near.has(index - 1) || (index === 0 && near.size > 0) ? [{ kind: "gap", text: "⋯" }] : [];
  });
}
