/** What a state means to a reader: the colour of its badge, node and bar. */
export type Tone = "ok" | "bad" | "warn" | "info" | "grey";

const TONES: Record<string, Tone> = {
  completed: "ok", done: "ok", delivered: "ok", active: "ok", healthy: "ok", processed: "ok", current: "ok",
  resolved: "ok",
  failed: "bad", dead: "bad", lost: "bad", crashed: "bad", timed_out: "bad", stuck: "bad", firing: "bad", error: "bad",
  running: "info", processing: "info", building: "info", acknowledged: "info",
  retrying: "warn", waiting: "warn", draining: "warn", paused: "warn", stale: "warn", blocked: "warn",
  cancelling: "warn",
  cancelled: "grey", skipped: "grey", pending: "grey", queued: "grey", ready: "grey", delayed: "grey",
  terminated: "grey",
};

const BADGES: Record<Tone, string> = {
  ok: "bg-ok-soft text-ok",
  bad: "bg-bad-soft text-bad",
  warn: "bg-warn-soft text-warn",
  info: "bg-info-soft text-info",
  grey: "bg-grey-soft text-text",
};

const DOTS: Record<Tone, string> = { ok: "bg-ok", bad: "bg-bad", warn: "bg-warn", info: "bg-info", grey: "bg-muted" };

export function toneOf(status: string): Tone {
  return TONES[status.toLowerCase()] ?? "grey";
}

/** Returns the classes of a filled bar or dot. */
export function toneFill(tone: Tone): string {
  return DOTS[tone];
}

export function isFinal(status: string): boolean {
  return ["completed", "failed", "cancelled", "skipped"].includes(status);
}

export function StatusBadge({ status, tone }: { status: string; tone?: Tone }) {
  const look = tone ?? toneOf(status);
  const pulse = look === "info" ? "animate-pulse" : "";
  return (
    <span
      className={`inline-flex items-center gap-1.5 rounded-full px-2 py-0.5 text-xs font-medium whitespace-nowrap
        ${BADGES[look]}`}
    >
      <span className={`size-1.5 rounded-full ${DOTS[look]} ${pulse}`} aria-hidden="true" />
      {status.replaceAll("_", " ").toLowerCase()}
    </span>
  );
}
