import type { WorkerStatus } from "../../api/schema";
import { StatusBadge, type Tone } from "../../ui/Status";

const TONES: Record<string, Tone> = {
  HEALTHY: "ok",
  STALE_HEARTBEAT: "warn",
  STUCK_TASK: "bad",
  NO_HEARTBEAT: "bad",
};

export function Health({ worker }: { worker: WorkerStatus }) {
  if (worker.health_status === null) return <span className="text-muted">–</span>;
  return <StatusBadge status={worker.health_status} tone={TONES[worker.health_status] ?? "grey"} />;
}
