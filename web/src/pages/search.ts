/** Reads the filters of a page from its URL. What is not understood is left out. */
export type Search = Record<string, unknown>;

export function one(search: Search, name: string): string | undefined {
  const value = search[name];
  return typeof value === "string" && value !== "" ? value : typeof value === "number" ? String(value) : undefined;
}

export function several<T extends string>(search: Search, name: string, known: readonly T[]): T[] | undefined {
  const value = search[name];
  const values = (Array.isArray(value) ? (value as unknown[]) : [value]).filter((item): item is T =>
    known.includes(item as T),
  );
  return values.length > 0 ? values : undefined;
}

export function oneOf<T extends string>(search: Search, name: string, known: readonly T[]): T | undefined {
  return several(search, name, known)?.[0];
}

const HOUR = 3_600_000;
export const PERIODS: readonly (readonly [string, string])[] = [
  ["1h", "last hour"],
  ["24h", "last day"],
  ["7d", "last 7 days"],
  ["30d", "last 30 days"],
];

/** The time at which a period such as `24h` begins, to the minute, so that equal filters are equal requests. */
export function sinceOf(period: string | undefined): string | undefined {
  const match = /^(\d{1,4})(h|d)$/.exec(period ?? "");
  if (match === null) return undefined;
  const hours = Number(match[1]) * (match[2] === "d" ? 24 : 1);
  const minute = Math.floor(Date.now() / 60_000) * 60_000;
  return new Date(minute - hours * HOUR).toISOString();
}
