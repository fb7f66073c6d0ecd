import { useSyncExternalStore } from "react";

import { formatDistance, formatExact, formatSeconds } from "./time";

let now = Date.now();
const listeners = new Set<() => void>();
let timer: number | undefined;

function tick(): void {
  now = Date.now();
  for (const notify of listeners) notify();
}

/** One clock for all times of a page. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) {
    now = Date.now();
    timer = window.setInterval(tick, 1000);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) {
      window.clearInterval(timer);
      timer = undefined;
    }
  };
}

export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

/** A time relative to now; the exact one is its title. */
export function Time({ at, none = "–" }: { at: string | null | undefined; none?: string }) {
  const current = useNow();
  if (at === null || at === undefined) return <span className="text-muted">{none}</span>;
  return (
    <time dateTime={at} title={formatExact(at)} className="whitespace-nowrap">
      {formatDistance(at, current)}
    </time>
  );
}

/** How long something took, or has taken until now. */
export function Duration({ from, until }: { from: string | null; until: string | null }) {
  const current = useNow();
  if (from === null) return <span className="text-muted">–</span>;
  const end = until === null ? Math.max(current, Date.parse(from)) : Date.parse(until);
  return <span className="whitespace-nowrap tabular-nums">{formatSeconds((end - Date.parse(from)) / 1000)}</span>;
}
