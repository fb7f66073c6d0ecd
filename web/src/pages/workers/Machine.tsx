import type { WorkerStatus } from "../../api/schema";

function numberIn(worker: WorkerStatus, name: string): number | null {
  const value = worker.metadata[name];
  return typeof value === "number" ? value : null;
}

/** The load of a worker's machine as bars; those that it does not report are left out. */
export function Machine({ worker }: { worker: WorkerStatus }) {
  const bars: [string, number | null][] = [
    ["CPU", numberIn(worker, "cpu_percent")],
    ["Memory", share(worker, "memory")],
    ["VRAM", share(worker, "vram")],
    ["Disk", share(worker, "disk")],
  ];
  const shown = bars.filter((bar): bar is [string, number] => bar[1] !== null);
  if (shown.length === 0) return <span className="text-muted">–</span>;
  return (
    <div className="flex flex-wrap gap-3">
      {shown.map(([name, percent]) => (
        <Bar key={name} name={name} percent={percent} />
      ))}
    </div>
  );
}

function share(worker: WorkerStatus, what: string): number | null {
  const used = numberIn(worker, `${what}_used_mb`);
  const total = numberIn(worker, `${what}_total_mb`);
  return used === null || total === null || total === 0 ? null : (100 * used) / total;
}

function Bar({ name, percent }: { name: string; percent: number }) {
  const fill = percent > 90 ? "fill-bad" : percent > 75 ? "fill-warn" : "fill-info";
  return (
    <div className="w-24">
      <div className="flex justify-between text-xs text-muted tabular-nums">
        <span>{name}</span>
        <span>{Math.round(percent)}%</span>
      </div>
      <svg viewBox="0 0 100 6" preserveAspectRatio="none" className="h-1.5 w-full rounded-full" aria-hidden="true">
        <rect width="100" height="6" className="fill-grey-soft" />
        <rect width={Math.min(100, percent)} height="6" className={fill} />
      </svg>
    </div>
  );
}
