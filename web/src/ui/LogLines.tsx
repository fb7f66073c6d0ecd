import { Link } from "@tanstack/react-router";

import { Button } from "./Button";
import { formatExact } from "./time";

export interface LogEntry {
  key: string;
  at: string;
  level: string;
  source: string;
  /** Shows the source as a link to its task. */
  taskId?: string;
  message: string;
  fields: unknown;
}

const LEVELS: Record<string, string> = { error: "text-bad", critical: "text-bad", warning: "text-warn" };

/** Log lines, oldest first. */
export function LogLines({ lines, more }: { lines: LogEntry[]; more?: () => void }) {
  return (
    <div>
      <ol className="max-h-[70vh] overflow-auto p-3 font-mono text-xs" tabIndex={0} aria-label="Log lines">
        {lines.map((line) => (
          <li key={line.key} className="flex gap-3 rounded px-1 py-0.5 hover:bg-raised">
            <time className="shrink-0 text-muted" dateTime={line.at} title={formatExact(line.at)}>
              {new Date(line.at).toISOString().slice(11, 23)}
            </time>
            <span className={`w-14 shrink-0 ${LEVELS[line.level.toLowerCase()] ?? "text-muted"}`}>{line.level}</span>
            <span className="w-32 shrink-0 truncate text-muted max-md:hidden" title={line.source}>
              {line.taskId === undefined ? (
                line.source
              ) : (
                <Link
                  to="/tasks/$taskId"
                  params={{ taskId: line.taskId }}
                  search={{ tab: "logs" }}
                  className="hover:underline"
                >
                  {line.source}
                </Link>
              )}
            </span>
            <span className="min-w-0 whitespace-pre-wrap [overflow-wrap:anywhere]">
              {line.message}
              {hasFields(line.fields) && <span className="text-muted"> {JSON.stringify(line.fields)}</span>}
            </span>
          </li>
        ))}
      </ol>
      {more !== undefined && (
        <div className="border-t border-line p-3 text-center">
          <Button onClick={more}>Load more lines</Button>
        </div>
      )}
    </div>
  );
}

function hasFields(fields: unknown): boolean {
  return typeof fields === "object" && fields !== null && Object.keys(fields).length > 0;
}
