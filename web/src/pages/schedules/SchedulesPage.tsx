import { Link } from "@tanstack/react-router";
import { useState } from "react";

import {
  useDeleteSchedule,
  usePauseSchedule,
  useResumeSchedule,
  useRunSchedule,
  useSchedules,
} from "../../api/schedules";
import type { Schedule } from "../../api/schema";
import { useMay } from "../../api/session";
import { Button } from "../../ui/Button";
import { useConfirm } from "../../ui/confirm";
import { DataTable, type Column } from "../../ui/DataTable";
import { Page, Panel } from "../../ui/Page";
import { Empty, Loaded } from "../../ui/States";
import { StatusBadge } from "../../ui/Status";
import { Time } from "../../ui/Time";
import { useAct } from "../../ui/toast";
import { CreateSchedule } from "./CreateSchedule";

const COLUMNS: Column<Schedule>[] = [
  { name: "Schedule", cell: (schedule) => <span className="font-medium">{schedule.name}</span> },
  { name: "State", cell: (schedule) => <StatusBadge status={schedule.paused_at === null ? "active" : "paused"} /> },
  { name: "Starts", cell: (schedule) => <span className="font-mono text-xs">{typeOf(schedule)}</span>, wide: true },
  { name: "Cron", cell: (schedule) => <span className="font-mono text-xs whitespace-nowrap">{schedule.cron}</span> },
  { name: "Time zone", cell: (schedule) => schedule.timezone, wide: true },
  { name: "Next", cell: (schedule) => <Time at={schedule.paused_at === null ? schedule.next_at : null} /> },
  { name: "Last", cell: (schedule) => <Time at={schedule.last_at} none="never" />, wide: true },
];

/** The DAG whose job starts by this schedule, which its versions create and delete. */
function dagOf(schedule: Schedule): string | undefined {
  return typeOf(schedule).startsWith("tenuto.") ? /^([^/]+)\/[^/]+$/.exec(schedule.name)?.[1] : undefined;
}

function typeOf(schedule: Schedule): string {
  const { type } = schedule.kind;
  return typeof type === "string" ? type : "–";
}

export function SchedulesPage() {
  const schedules = useSchedules();
  const mayWrite = useMay("schedules:write");
  const [creating, setCreating] = useState(false);
  const actions: Column<Schedule> = { name: "Actions", cell: (schedule) => <Actions schedule={schedule} /> };
  return (
    <Page
      title="Schedules"
      about="Runs that start at fixed times."
      actions={
        mayWrite && (
          <Button kind="primary" onClick={() => setCreating(true)}>
            Create a schedule
          </Button>
        )
      }
    >
      <Panel flush>
        <Loaded read={schedules}>
          {() => (
            <DataTable
              label="Schedules"
              rows={schedules.rows}
              columns={mayWrite ? [...COLUMNS, actions] : COLUMNS}
              rowKey={(schedule) => schedule.name}
              more={{
                has: schedules.hasNextPage,
                busy: schedules.isFetchingNextPage,
                load: schedules.fetchNextPage,
              }}
              empty={
                <Empty title="There are no schedules yet." command="tenuto schedules --help">
                  A task with <code className="font-mono">@app.task(cron=&quot;0 6 * * *&quot;)</code> creates one.
                </Empty>
              }
            />
          )}
        </Loaded>
      </Panel>
      {creating && <CreateSchedule close={() => setCreating(false)} />}
    </Page>
  );
}

function Actions({ schedule }: { schedule: Schedule }) {
  const pause = usePauseSchedule();
  const resume = useResumeSchedule();
  const run = useRunSchedule();
  const remove = useDeleteSchedule();
  const confirm = useConfirm();
  const act = useAct();
  const path = { name: schedule.name };
  const ask = async () => {
    const agreed = await confirm({
      title: `Delete the schedule ${schedule.name}?`,
      happens: "It starts nothing any more. Runs that it started stay as they are.",
      undo: "This cannot be undone here; a worker that declares the schedule creates it again when it starts.",
      action: "Delete the schedule",
      danger: true,
    });
    if (agreed) await act(() => remove.mutateAsync({ path }), `${schedule.name} is deleted.`);
  };
  const dag = dagOf(schedule);
  if (dag !== undefined) {
    return (
      <Link to="/dags/$name" params={{ name: dag }} search={{ tab: "jobs" }} className="underline">
        trigger or pause the job
      </Link>
    );
  }
  return (
    <div className="flex flex-wrap gap-1">
      <Button onClick={() => void act(() => run.mutateAsync({ path }), `${schedule.name} started a run.`)}>
        Run now
      </Button>
      {schedule.paused_at === null ? (
        <Button onClick={() => void act(() => pause.mutateAsync({ path }), `${schedule.name} is paused.`)}>
          Pause
        </Button>
      ) : (
        <Button
          kind="primary"
          onClick={() => void act(() => resume.mutateAsync({ path }), `${schedule.name} is resumed.`)}
        >
          Resume
        </Button>
      )}
      <Button kind="danger" onClick={() => void ask()}>
        Delete
      </Button>
    </div>
  );
}
