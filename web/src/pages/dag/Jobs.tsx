import { Link } from "@tanstack/react-router";
import { useState } from "react";

import { useJobs, usePauseJob, useResumeJob, useTriggerJob } from "../../api/dags";
import type { JobSummary } from "../../api/schema";
import { useMay } from "../../api/session";
import { Button } from "../../ui/Button";
import { useConfirm } from "../../ui/confirm";
import { DataTable, type Column } from "../../ui/DataTable";
import { Field, FormDialog } from "../../ui/Form";
import { Panel } from "../../ui/Page";
import { Empty, Loaded } from "../../ui/States";
import { StatusBadge } from "../../ui/Status";
import { useAct } from "../../ui/toast";

const COLUMNS: Column<JobSummary>[] = [
  {
    name: "Job",
    cell: (job) => (
      <Link to="/tasks" search={{ job: `${job.dag}/${job.name}` }} className="font-medium hover:underline">
        {job.name}
      </Link>
    ),
  },
  { name: "State", cell: (job) => <State job={job} /> },
  { name: "Starts", cell: (job) => job.activation },
  { name: "Operator", cell: (job) => job.operator, wide: true },
  { name: "Runtime", cell: (job) => job.runtime, wide: true },
];

function State({ job }: { job: JobSummary }) {
  if (job.paused_at !== null) {
    return (
      <span title={job.pause_reason ?? undefined}>
        <StatusBadge status="paused" />
      </span>
    );
  }
  return job.held_at === null ? <StatusBadge status="active" /> : <StatusBadge status="held" tone="warn" />;
}

/** The jobs of the current version: pause, resume, trigger. */
export function Jobs({ dag }: { dag: string }) {
  const jobs = useJobs(dag);
  const mayWrite = useMay("jobs:write");
  const actions: Column<JobSummary> = { name: "Actions", cell: (job) => <Actions job={job} /> };
  return (
    <Panel flush>
      <Loaded read={jobs}>
        {() => (
          <DataTable
            label="Jobs"
            rows={jobs.rows}
            columns={mayWrite ? [...COLUMNS, actions] : COLUMNS}
            rowKey={(job) => job.job_key}
            more={{ has: jobs.hasNextPage, busy: jobs.isFetchingNextPage, load: jobs.fetchNextPage }}
            empty={<Empty title="No version of this DAG is current yet." command={`tenuto cutover ${dag} VERSION`} />}
          />
        )}
      </Loaded>
    </Panel>
  );
}

function Actions({ job }: { job: JobSummary }) {
  const pause = usePauseJob();
  const resume = useResumeJob();
  const confirm = useConfirm();
  const act = useAct();
  const [triggering, setTriggering] = useState(false);
  const path = { dag: job.dag, name: job.name };
  const ask = async () => {
    const agreed = await confirm({
      title: `Pause the job ${job.name}?`,
      happens: "It starts no more tasks, even in later versions of its DAG. Running tasks continue.",
      undo: "Resume the job: it then processes the changes of its inputs that came during the pause.",
      action: "Pause the job",
    });
    if (agreed) await act(() => pause.mutateAsync({ path }), `${job.name} is paused.`);
  };
  return (
    <div className="flex flex-wrap gap-1">
      <Button onClick={() => setTriggering(true)}>Trigger</Button>
      {job.paused_at === null ? (
        <Button onClick={() => void ask()}>Pause</Button>
      ) : (
        <Button kind="primary" onClick={() => void act(() => resume.mutateAsync({ path }), `${job.name} is resumed.`)}>
          Resume
        </Button>
      )}
      {triggering && <Trigger job={job} close={() => setTriggering(false)} />}
    </div>
  );
}

/** Starts a task of a job, or one for each of several partitions. */
function Trigger({ job, close }: { job: JobSummary; close: () => void }) {
  const trigger = useTriggerJob();
  const [partitions, setPartitions] = useState("");
  const [force, setForce] = useState(false);
  const keys = partitions.split(/[\s,]+/).filter((key) => key !== "");
  const submit = () => {
    const body = { partitions: keys.length > 0 ? keys : null, force };
    return trigger.mutateAsync({ path: { dag: job.dag, name: job.name }, body });
  };
  return (
    <FormDialog
      title={`Trigger ${job.name}`}
      about="A task starts now, with the inputs as they are. You can cancel it on its page."
      action="Trigger the job"
      done={`${job.name} started ${keys.length > 1 ? `${keys.length} tasks` : "a task"}.`}
      close={close}
      submit={submit}
    >
      <Field
        label="Partitions, separated by spaces; none for a job without partitions"
        placeholder="2026-11-16 2026-11-17"
        value={partitions}
        onChange={setPartitions}
        autoFocus
      />
      <label className="flex items-center gap-2 text-sm">
        <input type="checkbox" checked={force} onChange={(event) => setForce(event.target.checked)} />
        Compute again what was computed from the same inputs, even if the job is paused
      </label>
    </FormDialog>
  );
}
