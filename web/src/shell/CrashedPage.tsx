import type { ErrorComponentProps } from "@tanstack/react-router";

import { Failure } from "../ui/States";

/** Shown when a page throws: the error, and a way to try again. */
export function CrashedPage({ error, reset }: ErrorComponentProps) {
  return (
    <div className="p-6">
      <Failure error={error instanceof Error ? error : new Error(String(error))} retry={reset} />
    </div>
  );
}
