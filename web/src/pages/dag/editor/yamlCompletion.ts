import schemas from "../../../api/dagSchema.json";
import { matching, type Complete, type Completion, type Suggestion } from "../../../ui/code/completion";
import { choices, schemasAt, valuesOf, type Schema } from "./schemaWalk";
import { yamlContext, type YamlContext } from "./yamlContext";

/** Names of the org that a document may refer to. */
export interface Names {
  datasets: string[];
  functions: string[];
}

interface OperatorSchema {
  about: string;
  config: Schema;
}

const DOCUMENT = schemas.document as unknown as Schema;
const OPERATORS = schemas.operators as unknown as Record<string, OperatorSchema>;

/** Completes a DAG document by its JSON Schema; `sql` completes the text of SELECTs in it. */
export function completeYaml(names: Names, sql: Complete): Complete {
  return (text, caret, asked) => {
    const context = yamlContext(text, caret);
    const { typed, isText } = context;
    if (isText) return context.maps.at(-1)?.has("sql") === true ? sql(text, caret, asked) : null;
    if (context.key === null && typed === "" && !asked) return null;
    const rest = text.slice(0, caret - typed.length) + text.slice(caret); // without the name that is being typed
    const suggestions = context.key === null ? keysAt(context) : valuesAt(context, rest, names);
    return found(caret, typed, suggestions);
  };
}

function found(caret: number, typed: string, suggestions: Suggestion[]): Completion | null {
  const bare = typed.replace(/^["']/, "");
  const shown = matching(suggestions, bare);
  return shown.length === 0 ? null : { from: caret - bare.length, suggestions: shown };
}

/** The schemas of the mapping around the caret; that of `config` depends on the operator of the job. */
function around({ path, maps }: YamlContext): Schema[] {
  if (path.at(-1) === "config" && path.length === 3) {
    const operator = maps.at(-2)?.get("operator")?.split("@")[0] ?? "";
    const config = OPERATORS[operator]?.config;
    return config === undefined ? [] : [config];
  }
  return schemasAt(DOCUMENT, path, maps);
}

function keysAt(context: YamlContext): Suggestion[] {
  const present = context.maps.at(-1);
  return around(context)
    .flatMap((schema) => Object.entries(schema.properties ?? {}))
    .filter(([key]) => present?.has(key) !== true)
    .map(([key, schema]) => ({ text: key, about: schema.description, after: isNested(schema) ? ":" : ": " }));
}

function isNested(schema: Schema): boolean {
  return choices(schema, DOCUMENT).every((one) => one.type === "object" || one.type === "array");
}

function valuesAt(context: YamlContext, text: string, names: Names): Suggestion[] {
  const { key, path } = context;
  const listed =
    key === ""
      ? around(context).flatMap(valuesOf)
      : around(context)
          .flatMap((schema) => (key === null ? [] : [schema.properties?.[key]]))
          .flatMap((schema) => (schema === undefined ? [] : choices(schema, DOCUMENT)))
          .flatMap(valuesOf);
  const named = (about: string, all: string[]) => all.map((name) => ({ text: name, about }));
  const values = listed.map((value): Suggestion => ({ text: value }));
  if (key === "operator") return Object.entries(OPERATORS).map(([name, { about }]) => ({ text: name, about }));
  if (key === "job" || key === "renamed_from")
    return named("job of this document", written(text, /^\s*-\s+name:\s*["']?([\w-]+)/gm));
  if (key === "append_to" || (key === "dataset" && path.at(-1) === "from")) {
    const here = written(text, /\bdataset:\s*["']?([a-z]\w*)/g);
    return [...named("dataset of this document", here), ...named("dataset", names.datasets)];
  }
  if (key === "task" && path.at(-1) === "config") {
    const here = written(text, /\btask:\s*["']?([A-Za-z_][\w.-]*)/g);
    return [...named("function of this document", here), ...named("function of an app", names.functions)];
  }
  if (key === "column" || (key === "" && path.at(-2) === "columns")) {
    return named("column of this document", written(text, /\{name:\s*["']?([A-Za-z_]\w*)["']?,\s*type:/g));
  }
  return values;
}

/** The names that a pattern finds in the document. */
function written(text: string, pattern: RegExp): string[] {
  return [...new Set([...text.matchAll(pattern)].flatMap((match) => match[1] ?? []))];
}
