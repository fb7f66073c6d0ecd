import type { WholeDataset, WholeJob } from "../../api/schema";

export interface OutputColumn {
  name: string;
  type: string;
  not_null: boolean;
  description: string | null;
}

export interface OutputCheck {
  name: string;
  kind: string;
  severity: string;
  /** What the check demands, such as `min 3`. */
  demands: string;
}

export interface Output {
  description: string | null;
  partitioned: string;
  columns: OutputColumn[];
  checks: OutputCheck[];
}

type Definition = Record<string, unknown>;

/** The output of a job that publishes the dataset, as its DAG defines it; null if no current job does. */
export function outputOf(job: WholeJob | undefined, dataset: WholeDataset): Output | null {
  if (job === undefined || dataset.output === null) return null;
  const output = list(job.definition.outputs)[dataset.output];
  if (output === undefined) return null;
  return {
    description: text(output.description),
    partitioned: partitioned(output.partition as Definition | null),
    columns: list(output.columns).map((column) => ({
      name: text(column.name) ?? "",
      type: text(column.type) ?? "",
      not_null: column.not_null === true,
      description: text(column.description),
    })),
    checks: list(output.checks).map((check) => ({
      name: text(check.name) ?? "",
      kind: text(check.kind) ?? "",
      severity: text(check.severity) ?? "error",
      demands: Object.entries(check)
        .filter(([key, value]) => !["name", "kind", "severity"].includes(key) && value !== null)
        .map(([key, value]) => `${key} ${Array.isArray(value) ? value.join(", ") : String(value)}`)
        .join(", "),
    })),
  };
}

function list(value: unknown): Definition[] {
  return Array.isArray(value) ? (value as Definition[]) : [];
}

function text(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function partitioned(partition: Definition | null | undefined): string {
  if (partition === null || partition === undefined) return "not at all";
  const { kind, every, column } = partition;
  const name = text(column);
  return (
    (kind === "time" ? `per ${text(every) ?? ""}` : `by ${text(kind) ?? ""}`) +
    (name === null ? "" : `, from the column ${name}`)
  );
}
