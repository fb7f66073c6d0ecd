import { matching, type Complete, type Suggestion } from "./completion";

/** What SELECTs can read: datasets, and the columns of those that are known. */
export interface SqlNames {
  datasets: string[];
  columns: (dataset: string) => string[];
}

const KEYWORDS = `select from where group by order having limit offset join left inner full cross on using as with union
  all except intersect distinct case when then else end and or not in is null between like ilike exists asc desc qualify
  over partition filter values true false interval cast`.split(/\s+/);
const FUNCTIONS = `count sum avg min max median quantile_cont any_value arg_max arg_min list first last row_number rank
  lag lead coalesce nullif greatest least round abs date_trunc date_diff strftime now lower upper trim length substring
  replace split_part regexp_matches concat`.split(/\s+/);
const READ = /\b(?:from|join)\s+"?([A-Za-z_]\w*)"?(?:\s+(?:as\s+)?([A-Za-z_]\w*))?/gi;
const RESERVED = new Set(KEYWORDS);

/** Completes a SELECT: datasets after FROM and JOIN, columns of the datasets that it reads, keywords and functions. */
export function completeSql(names: SqlNames): Complete {
  return (text, caret, asked) => {
    const before = text.slice(0, caret);
    const typed = /\w*$/.exec(before)?.[0] ?? "";
    const from = caret - typed.length;
    const owner = /(\w+)"?\.\w*$/.exec(before)?.[1];
    const suggestions = matching(
      owner === undefined
        ? anywhere(names, text, before.slice(0, from), asked || typed !== "")
        : columnsOf(names, text, owner),
      typed,
    );
    return suggestions.length === 0 ? null : { from, suggestions };
  };
}

/** The datasets that a text reads, each by its own name and by its alias. */
export function readDatasets(text: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const [, dataset = "", alias] of text.matchAll(READ)) {
    found.set(dataset, dataset);
    if (alias !== undefined && !RESERVED.has(alias.toLowerCase())) found.set(alias, dataset);
  }
  return found;
}

function columnsOf(names: SqlNames, text: string, owner: string): Suggestion[] {
  const dataset = readDatasets(text).get(owner) ?? owner;
  return names.columns(dataset).map((column) => ({ text: column, about: `column of ${dataset}` }));
}

function anywhere(names: SqlNames, text: string, before: string, wanted: boolean): Suggestion[] {
  if (/\b(?:from|join)\s+"?$/i.test(before)) return names.datasets.map((name) => ({ text: name, about: "dataset" }));
  if (!wanted) return [];
  const read = [...new Set(readDatasets(text).values())];
  return [
    ...read.flatMap((dataset) => columnsOf(names, text, dataset)),
    ...KEYWORDS.map((word) => ({ text: word })),
    ...FUNCTIONS.map((name) => ({ text: name, about: "function", after: "(" })),
    ...names.datasets.map((name) => ({ text: name, about: "dataset" })),
  ];
}
