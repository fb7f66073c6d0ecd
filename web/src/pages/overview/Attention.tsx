import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { useAlerts } from "../../api/alerts";
import { useQueues } from "../../api/queues";
import type { Alert, OrgStatus, QueueStatus } from "../../api/schema";
import { useMay } from "../../api/session";
import { Command } from "../../ui/Copy";
import { formatCount, formatSeconds } from "../../ui/time";
import { workersAlive } from "../workers/health";

interface Finding {
  text: string;
  help: ReactNode;
}

const LATE_SECONDS = 60;
const UNSERVED_SECONDS = 10; // a pool needs some to start a worker
const MAX_ALERTS = 5;

function findingOf(alert: Alert): Finding {
  return { text: alert.summary, help: <Open to="/alerts" name="Show the alert" /> };
}

/** Whether a rule of kind dead_effects raised it: the status of the org says the same, with the page that helps. */
function isAboutDeadLetters({ key, details }: Alert): boolean {
  return key === "outbox" && typeof details === "object" && details !== null && "dead" in details;
}

/** What a person should look at, with the page or command that helps; nothing if all is well. */
export function Attention({ status }: { status: OrgStatus }) {
  const mayRead = useMay("alerts:read");
  const alerts = useAlerts("firing", mayRead);
  const queues = useQueues();
  const findings = [
    ...findingsOf(status),
    ...(queues.data?.items ?? []).flatMap(pauseOf),
    ...alerts.rows
      .filter((alert) => status.outbox_dead === 0 || !isAboutDeadLetters(alert))
      .slice(0, MAX_ALERTS)
      .map(findingOf),
  ].filter((finding, no, all) => all.findIndex((other) => other.text === finding.text) === no);
  if (findings.length === 0) return null;
  return (
    <section aria-label="Needs attention" className="overflow-hidden rounded-lg border border-warn bg-warn-soft">
      <h2 className="px-4 pt-3 text-sm font-semibold">Needs attention</h2>
      <ul className="px-4 pb-3">
        {findings.map((finding) => (
          <li key={finding.text} className="flex flex-wrap items-center justify-between gap-2 py-1.5 text-sm">
            <span>{finding.text}</span>
            <span>{finding.help}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function pauseOf(queue: QueueStatus): Finding[] {
  if (queue.paused_at === null) return [];
  const waiting = plural(queue.ready, "ready task waits", "ready tasks wait");
  return [
    { text: `The queue ${queue.name} is paused: ${waiting}.`, help: <Open to="/queues" name="Show the queues" /> },
  ];
}

interface OpenProps {
  to: "/queues" | "/outbox" | "/workers" | "/alerts";
  search?: { status: "dead" };
  name: string;
}

function Open({ to, search, name }: OpenProps) {
  return (
    <Link
      to={to}
      search={search}
      className="inline-flex h-8 items-center rounded-md border border-line bg-panel px-3 font-medium"
    >
      {name}
    </Link>
  );
}

function plural(count: number, one: string, many: string): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

function findingsOf(status: OrgStatus): Finding[] {
  const found: Finding[] = [];
  const workers = workersAlive(status);
  const oldest = status.oldest_ready_seconds ?? 0;
  if (status.dispatchers === 0) {
    found.push({
      text: "No dispatcher runs: retries, schedules and deliveries wait.",
      help: <Command text="tenuto dispatcher" />,
    });
  }
  if (workers === 0 && oldest > UNSERVED_SECONDS) {
    found.push({
      text: `${plural(status.ready, "task is", "tasks are")} ready, and no worker is alive.`,
      help: <Command text="tenuto worker module:app" />,
    });
  } else if (oldest > LATE_SECONDS) {
    found.push({
      text: `The oldest ready task has waited for ${formatSeconds(oldest)}.`,
      help: <Open to="/queues" name="Show the queues" />,
    });
  }
  if (status.outbox_dead > 0) {
    found.push({
      text: `${plural(status.outbox_dead, "side effect", "side effects")} failed for good.`,
      help: <Open to="/outbox" search={{ status: "dead" }} name="Look and deliver again" />,
    });
  }
  if (status.stuck_tasks > 0) {
    found.push({
      text: `${formatCount(status.stuck_tasks)} tasks run without progress.`,
      help: <Open to="/workers" name="Show the workers" />,
    });
  }
  if (status.parked > 0) {
    found.push({
      text: `${formatCount(status.parked)} rows could not be processed and are parked.`,
      help: <Command text="tenuto doctor" />,
    });
  }
  if (status.blocked > 0) {
    found.push({ text: `${formatCount(status.blocked)} tasks are blocked.`, help: <Command text="tenuto why TASK" /> });
  }
  return found;
}
