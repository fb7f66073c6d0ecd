import type { OrgStatus, WorkerStatus } from "../../api/schema";
import { StatusBadge, type Tone } from "../../ui/Status";

const TONES: Record<string, Tone> = {
  healthy: "ok",
  stuck_task: "bad",
  stale_heartbeat: "warn",
  no_heartbeat: "bad",
  dead: "bad",
};

/** Returns how many workers run tasks. */
export function workersAlive(status: OrgStatus): number {
  return (status.health.healthy ?? 0) + (status.health.stuck_task ?? 0);
}

export function Health({ worker }: { worker: WorkerStatus }) {
  if (worker.health_status === null) return <span className="text-muted">–</span>;
  return <StatusBadge status={worker.health_status} tone={TONES[worker.health_status] ?? "grey"} />;
}
