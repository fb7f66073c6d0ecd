interface Source {
  source?: string;
}

interface ExactJson {
  parse(text: string, revive: (key: string, value: unknown, context?: Source) => unknown): unknown;
  rawJSON?(text: string): unknown;
}

const exact = JSON as ExactJson;

/**
 * Parses JSON. An integer that a number of JavaScript cannot hold, such as 9007199254740993, keeps its digits:
 * `JSON.stringify` writes it as it was. Browsers without `JSON.rawJSON` round it.
 */
export function parseJson(text: string): unknown {
  return exact.parse(text, (_, value, context) =>
    typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? "")
      ? (exact.rawJSON?.(context?.source ?? "") ?? value)
      : value,
  );
}
