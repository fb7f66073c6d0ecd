import { Link } from "@tanstack/react-router";

import type { Alert } from "../../api/schema";

const LINK = "font-medium [overflow-wrap:anywhere] hover:underline";

/** What an alert says, as a link to the thing that it is about. */
export function Subject({ alert }: { alert: Alert }) {
  const details = (alert.details ?? {}) as Record<string, unknown>;
  const text = (name: string) => (typeof details[name] === "string" ? details[name] : undefined);
  const [task, dataset, queue, pool] = [text("last_task"), text("dataset"), text("queue"), text("pool")];
  if (task !== undefined) {
    return (
      <Link to="/tasks/$taskId" params={{ taskId: task }} className={LINK}>
        {alert.summary}
      </Link>
    );
  }
  if (dataset !== undefined) {
    return (
      <Link to="/datasets/$name" params={{ name: dataset }} className={LINK}>
        {alert.summary}
      </Link>
    );
  }
  if (queue !== undefined) {
    return (
      <Link to="/tasks" search={{ queue, status: ["queued"] }} className={LINK}>
        {alert.summary}
      </Link>
    );
  }
  if (pool !== undefined) {
    return (
      <Link to="/workers" search={{ pool }} className={LINK}>
        {alert.summary}
      </Link>
    );
  }
  if (typeof details.dead === "number") {
    return (
      <Link to="/outbox" search={{ status: "dead" }} className={LINK}>
        {alert.summary}
      </Link>
    );
  }
  return <span className="font-medium [overflow-wrap:anywhere]">{alert.summary}</span>;
}
