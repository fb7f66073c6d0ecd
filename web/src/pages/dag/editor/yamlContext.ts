/** Where the caret is in a YAML document, as far as completion needs it. */
export interface YamlContext {
  /** Keys from the root to the mapping around the caret; "[]" is an entry of a list. */
  path: string[];
  /** Per step of the path, the mapping at that step: the keys seen so far, with their values on the same line. */
  maps: Map<string, string>[];
  /** The key whose value is typed; null if a key is typed. */
  key: string | null;
  /** What is typed of it so far, before the caret. */
  typed: string;
  /** The caret is in a block of text, such as below `sql: |`. */
  isText: boolean;
}

interface Level {
  indent: number;
  step: string;
  map: Map<string, string>;
}

const KEY = /^("?)([A-Za-z_][\w-]*)\1:(?:\s+(.*))?$/;

/** Reads the lines above the caret by their indent, and the caret's line up to it. */
export function yamlContext(text: string, caret: number): YamlContext {
  const lines = text.slice(0, caret).split("\n");
  const current = lines.pop() ?? "";
  const root = new Map<string, string>();
  const levels: Level[] = [];
  let block: number | null = null; // the indent of the key above a block of text
  for (const line of lines) {
    if (line.trim() === "" || line.trimStart().startsWith("#")) continue;
    const indent = indentOf(line);
    if (block !== null && indent > block) continue;
    block = enter(levels, root, line);
  }
  const inText = block !== null && (current.trim() === "" || indentOf(current) > block);
  const rest = inText ? current.trimStart() : leave(levels, current);
  const path = levels.map((level) => level.step);
  const maps = [root, ...levels.map((level) => level.map)];
  const context = { path, maps, key: null, typed: rest, isText: false };
  if (inText) return { ...context, isText: true, typed: /[\w.]*$/.exec(current)?.[0] ?? "" };
  const [, , key, value] = KEY.exec(rest) ?? [];
  if (key === undefined) return rest.startsWith("{") || rest.startsWith("[") ? inFlow(context, rest) : context;
  const below = { ...context, key, typed: value ?? "" };
  if (!/^[{[]/.test(value ?? "")) return below;
  return inFlow({ ...below, path: [...path, key], maps: [...maps, new Map<string, string>()] }, value ?? "");
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** Leaves the levels that end at this line, enters its list entries; returns what follows its dashes. */
function leave(levels: Level[], line: string): string {
  let indent = indentOf(line);
  let rest = line.slice(indent);
  let dash = /^-(\s+|$)/.exec(rest);
  while (levels.length > 0 && closes(levels[levels.length - 1], indent, dash !== null)) levels.pop();
  while (dash !== null) {
    levels.push({ indent, step: "[]", map: new Map() });
    indent += dash[0].length;
    rest = rest.slice(dash[0].length);
    dash = /^-(\s+|$)/.exec(rest);
  }
  return rest;
}

function closes(level: Level | undefined, indent: number, isEntry: boolean): boolean {
  if (level === undefined) return false;
  // A list may have the indent of its key.
  return level.indent > indent || (level.indent === indent && (level.step === "[]" || !isEntry));
}

/** Follows a whole line; returns its indent if a block of text begins below it. */
function enter(levels: Level[], root: Map<string, string>, line: string): number | null {
  const rest = leave(levels, line);
  const [, , key, value = ""] = KEY.exec(rest.trimEnd()) ?? [];
  if (key === undefined) return null;
  const indent = line.length - rest.length;
  (levels.at(-1)?.map ?? root).set(key, value.replace(/^["']|["']$/g, ""));
  if (/^[|>][-+\d]*$/.test(value)) return indent;
  if (value === "" || value.startsWith("#")) levels.push({ indent, step: key, map: new Map() });
  return null;
}

/** Follows `{a: b, c: [d` from its first bracket to the caret. */
function inFlow(context: YamlContext, text: string): YamlContext {
  const { path, maps } = { path: [...context.path], maps: [...context.maps] };
  const open: string[] = [];
  let key: string | null = null;
  let word = "";
  const keep = () => {
    if (key !== null && open.at(-1) === "{") maps.at(-1)?.set(key, word.trim());
  };
  for (const character of text) {
    if (character === "{" || character === "[") {
      if (open.length > 0) {
        path.push(open.at(-1) === "[" ? "[]" : (key ?? ""));
        maps.push(new Map());
      }
      open.push(character);
    } else if (character === "}" || character === "]") {
      keep();
      if (open.length > 1) {
        path.pop();
        maps.pop();
      }
      open.pop();
    } else if (character === ":" && open.at(-1) === "{" && key === null) key = word.trim();
    else if (character === ",") keep();
    else {
      word += character;
      continue;
    }
    if (character !== ":") key = null;
    word = "";
  }
  if (open.at(-1) === "[") {
    return {
      ...context,
      path: [...path, "[]"],
      maps: [...maps, new Map<string, string>()],
      key: "",
      typed: word.trimStart(),
    };
  }
  return { ...context, path, maps, key, typed: word.trimStart() };
}
