const UNITS: [number, string][] = [
  [86_400, "d"],
  [3600, "h"],
  [60, "m"],
];

/** Formats seconds for people: 0.4 s, 12 s, 3 m 20 s, 5 h 2 m. */
export function formatSeconds(seconds: number): string {
  if (seconds < 0.001) return "0 s";
  if (seconds < 1) return `${Math.max(1, Math.round(seconds * 1000))} ms`;
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  const at = UNITS.findIndex(([size]) => seconds >= size);
  const [size, unit] = UNITS[at] ?? [60, "m"];
  const [smaller, smallerUnit] = UNITS[at + 1] ?? [1, "s"];
  const rest = Math.floor((seconds % size) / smaller);
  return `${Math.floor(seconds / size)} ${unit}${rest > 0 ? ` ${rest} ${smallerUnit}` : ""}`;
}

/** Formats the distance of a time from now: `3 m ago`, `in 20 s`. */
export function formatDistance(at: string, now: number): string {
  const seconds = (now - Date.parse(at)) / 1000;
  if (Math.abs(seconds) < 1) return "now";
  const [first = "", unit = ""] = formatSeconds(Math.floor(Math.abs(seconds))).split(" ");
  const text = `${first.replace(/\.0$/, "")} ${unit}`;
  return seconds > 0 ? `${text} ago` : `in ${text}`;
}

/** Formats a time here as ISO 8601 does, to the second or minute: 2026-11-17 15:30. */
export function formatLocal(date: Date, timeStyle: "short" | "medium"): string {
  return date.toLocaleString("sv-SE", { dateStyle: "short", timeStyle });
}

export function formatExact(at: string): string {
  const date = new Date(at);
  return `${formatLocal(date, "medium")} (${date.toISOString()})`;
}

export function formatCount(count: number): string {
  return count.toLocaleString("en-US");
}

const BYTE_UNITS = ["B", "KB", "MB", "GB", "TB"];

export function formatBytes(bytes: number): string {
  const at = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), BYTE_UNITS.length - 1);
  const size = bytes / 1000 ** at;
  return `${at === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${BYTE_UNITS[at] ?? "B"}`;
}
