import { Link } from "@tanstack/react-router";

import { usePauseQueue, useQueues, useResumeQueue } from "../../api/queues";
import type { QueueStatus } from "../../api/schema";
import { useMay } from "../../api/session";
import { Button } from "../../ui/Button";
import { useConfirm } from "../../ui/confirm";
import { DataTable, type Column } from "../../ui/DataTable";
import { Page, Panel } from "../../ui/Page";
import { Empty, Loaded } from "../../ui/States";
import { StatusBadge } from "../../ui/Status";
import { Time } from "../../ui/Time";
import { formatCount, formatSeconds } from "../../ui/time";
import { useAct } from "../../ui/toast";
import { Limits } from "./Limits";

export function QueuesPage() {
  const queues = useQueues();
  const mayWrite = useMay("queues:write");
  const columns: Column<QueueStatus>[] = [
    {
      name: "Queue",
      cell: (queue) => (
        <Link to="/tasks" search={{ queue: queue.name }} className="font-medium hover:underline">
          {queue.name}
        </Link>
      ),
    },
    { name: "State", cell: (queue) => <State queue={queue} /> },
    { name: "Ready", cell: (queue) => formatCount(queue.ready), numeric: true },
    { name: "Running", cell: (queue) => formatCount(queue.running), numeric: true },
    { name: "Delayed", cell: (queue) => formatCount(queue.delayed), numeric: true, wide: true },
    { name: "Waiting", cell: (queue) => formatCount(queue.waiting), numeric: true, wide: true },
    {
      name: "Oldest ready",
      cell: (queue) => (queue.oldest_ready_seconds === null ? "–" : formatSeconds(queue.oldest_ready_seconds)),
      numeric: true,
    },
    ...(mayWrite ? [{ name: "Actions", cell: (queue: QueueStatus) => <PauseButton queue={queue} /> }] : []),
  ];
  return (
    <Page title="Queues" about="Tasks wait in queues for workers. Workers claim no tasks from a paused queue.">
      <Panel flush>
        <Loaded read={queues}>
          {(found) => (
            <DataTable
              label="Queues"
              rows={found.items}
              columns={columns}
              rowKey={(queue) => queue.name}
              empty={<Empty title="There are no queues yet; the first task creates one." />}
            />
          )}
        </Loaded>
      </Panel>
      <Limits />
    </Page>
  );
}

function State({ queue }: { queue: QueueStatus }) {
  if (queue.paused_at === null) return <StatusBadge status="active" />;
  return (
    <span className="inline-flex items-center gap-2">
      <StatusBadge status="paused" />
      <span className="text-xs text-muted">
        <Time at={queue.paused_at} />
      </span>
    </span>
  );
}

function PauseButton({ queue }: { queue: QueueStatus }) {
  const pause = usePauseQueue();
  const resume = useResumeQueue();
  const confirm = useConfirm();
  const act = useAct();
  const path = { name: queue.name };
  const ask = async () => {
    const agreed = await confirm({
      title: `Pause the queue ${queue.name}?`,
      happens: "Workers claim no more tasks from this queue. Running tasks continue.",
      undo: "Resume the queue: workers then claim its tasks in order.",
      action: "Pause the queue",
    });
    if (agreed) await act(() => pause.mutateAsync({ path }), `The queue ${queue.name} is paused.`);
  };
  return queue.paused_at === null ? (
    <Button onClick={() => void ask()}>Pause</Button>
  ) : (
    <Button kind="primary" onClick={() => void act(() => resume.mutateAsync({ path }), `${queue.name} is resumed.`)}>
      Resume
    </Button>
  );
}
