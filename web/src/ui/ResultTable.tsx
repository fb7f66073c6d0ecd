import type { QueryResult } from "../api/schema";
import { formatCount } from "./time";

/** The rows of a query, with the Arrow types of the columns as titles, and the versions that were read. */
export function ResultTable({ result }: { result: QueryResult }) {
  return (
    <div>
      <div className="max-h-[60vh] overflow-auto" tabIndex={0} role="region" aria-label="Result">
        <table className="w-full border-collapse text-sm">
          <thead className="sticky top-0 bg-panel">
            <tr className="border-b border-line text-left text-xs text-muted">
              {result.columns.map((column, index) => (
                <th
                  key={index}
                  scope="col"
                  title={column.type}
                  className={`px-3 py-2 font-medium whitespace-nowrap ${place(column.type)}`}
                >
                  {column.name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {result.rows.map((row, index) => (
              <tr key={index} className="border-b border-line last:border-0 hover:bg-raised">
                {row.map((value, column) => (
                  <td key={column} className={`px-3 py-1.5 ${place(result.columns[column]?.type ?? "")}`}>
                    <Value value={value} numeric={isNumeric(result.columns[column]?.type ?? "")} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div className="flex flex-wrap justify-between gap-x-6 gap-y-1 border-t border-line px-3 py-2 text-xs text-muted">
        <span>
          {formatCount(result.row_count)} {result.row_count === 1 ? "row" : "rows"}
          {result.truncated ? "; there are more" : ""}
        </span>
        <span>
          {result.versions.map((version) => versionText(version.dataset, version.dag, version.dag_version)).join(", ")}
        </span>
      </div>
    </div>
  );
}

function isNumeric(type: string): boolean {
  return /^(u?int|float|double|decimal)/.test(type);
}

/** Numbers are aligned to the right. */
function place(type: string): string {
  return isNumeric(type) ? "text-right tabular-nums" : "";
}

function versionText(dataset: string, dag: string, version: number | null): string {
  return `${dataset} of ${dag}${version === null ? "" : `@${version}`}`;
}

function Value({ value, numeric }: { value: unknown; numeric: boolean }) {
  if (value === null) return <span className="text-muted">null</span>;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (numeric) return <>{text}</>;
  return (
    <span className="line-clamp-2 max-w-96 [overflow-wrap:anywhere]" title={text.length > 60 ? text : undefined}>
      {text}
    </span>
  );
}
