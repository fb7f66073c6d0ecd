/** The part of JSON Schema that the schema of DAG documents uses. */
export interface Schema {
  $ref?: string;
  $defs?: Record<string, Schema>;
  description?: string;
  type?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  properties?: Record<string, Schema>;
  patternProperties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
}

/** Returns the schemas that a value may have, without references and choices; null is none of them. */
export function choices(schema: Schema, root: Schema): Schema[] {
  if (schema.$ref !== undefined) {
    const target = root.$defs?.[schema.$ref.replace("#/$defs/", "")];
    return target === undefined
      ? []
      : choices({ ...target, description: schema.description ?? target.description }, root);
  }
  const options = schema.anyOf ?? schema.oneOf;
  if (options !== undefined) {
    return options.flatMap((option) => choices({ description: schema.description, ...option }, root));
  }
  return schema.type === "null" ? [] : [schema];
}

/** Returns the schemas of the mapping at a path. Of several, those stay whose `kind` is the one written there. */
export function schemasAt(root: Schema, path: string[], maps: Map<string, string>[]): Schema[] {
  let found = [root];
  path.forEach((step, index) => {
    found = found.flatMap((schema) => below(schema, step)).flatMap((schema) => choices(schema, root));
    const kind = maps[index + 1]?.get("kind");
    if (kind !== undefined) found = found.filter((schema) => allows(schema.properties?.kind, kind));
  });
  return found;
}

function below(schema: Schema, step: string): Schema[] {
  if (step === "[]") return schema.items === undefined ? [] : [schema.items];
  const named = schema.properties?.[step];
  return named === undefined ? Object.values(schema.patternProperties ?? {}) : [named];
}

function allows(schema: Schema | undefined, kind: string): boolean {
  if (schema === undefined) return true;
  return schema.const === undefined ? schema.enum?.includes(kind) === true : schema.const === kind;
}

/** Returns the values that a schema lists. */
export function valuesOf(schema: Schema): string[] {
  if (schema.type === "boolean") return ["true", "false"];
  const listed = schema.const === undefined ? (schema.enum ?? schema.examples ?? []) : [schema.const];
  return listed.map(String);
}
