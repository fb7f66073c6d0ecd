import type { ReactNode } from "react";

import { ApiError } from "../api/client";
import { Button } from "./Button";
import { Command } from "./Copy";

/** What a page shows when there is nothing yet: a sentence, and the command that changes this. */
export function Empty({ title, command, children }: { title: string; command?: string; children?: ReactNode }) {
  return (
    <div className="flex flex-col items-center gap-3 px-4 py-12 text-center">
      <p className="font-medium">{title}</p>
      {children !== undefined && <div className="max-w-prose text-sm text-muted">{children}</div>}
      {command !== undefined && <Command text={command} />}
    </div>
  );
}

/** A failed request: what happened, what to do, and the id that the log of the server has too. */
export function Failure({ error, retry }: { error: Error; retry?: () => void }) {
  const problem = error instanceof ApiError ? error : null;
  return (
    <div role="alert" className="flex flex-col items-start gap-2 rounded-lg border border-bad bg-bad-soft p-4 text-sm">
      <p className="font-medium whitespace-pre-wrap [overflow-wrap:anywhere]">{error.message}</p>
      {problem?.hint != null && <p>What helps: {problem.hint}.</p>}
      {problem?.status === 403 && <p>Ask an admin of your org for a role that allows this.</p>}
      {problem?.requestId != null && <p className="font-mono text-xs text-muted">request {problem.requestId}</p>}
      {retry !== undefined && <Button onClick={retry}>Try again</Button>}
    </div>
  );
}

export function Loading() {
  return (
    <div role="status" className="px-4 py-12 text-center text-sm text-muted">
      Loading…
    </div>
  );
}

interface Read<T> {
  data: T | undefined;
  error: Error | null;
  refetch: () => unknown;
}

/** Shows the data of a request once it is there, and until then why not. */
export function Loaded<T>({ read, children }: { read: Read<T>; children: (data: T) => ReactNode }) {
  if (read.data !== undefined) return <>{children(read.data)}</>;
  if (read.error !== null) return <Failure error={read.error} retry={() => void read.refetch()} />;
  return <Loading />;
}
