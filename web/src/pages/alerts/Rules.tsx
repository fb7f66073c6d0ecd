import { useState } from "react";

import { useAlertRules, useDeleteRule, useSetAlertRule, useSilenceRule } from "../../api/alerts";
import type { AlertRule, PutAlertRuleRequest } from "../../api/schema";
import { useMay } from "../../api/session";
import { Button } from "../../ui/Button";
import { useConfirm } from "../../ui/confirm";
import { DataTable, type Column } from "../../ui/DataTable";
import { Field, FormDialog, SelectField } from "../../ui/Form";
import { Panel } from "../../ui/Page";
import { Empty, Loaded } from "../../ui/States";
import { StatusBadge } from "../../ui/Status";
import { Time } from "../../ui/Time";
import { formatSeconds } from "../../ui/time";
import { useAct } from "../../ui/toast";

const SILENCE_SECONDS = 3600;

const COLUMNS: Column<AlertRule>[] = [
  { name: "Rule", cell: (rule) => <span className="font-medium">{rule.name}</span> },
  { name: "Fires if", cell: meaningOf },
  { name: "Delivers to", cell: (rule) => rule.destination ?? "nowhere", wide: true },
  { name: "State", cell: (rule) => <State rule={rule} /> },
];

function meaningOf(rule: AlertRule): string {
  const time = formatSeconds(rule.seconds);
  const failures = rule.threshold === 1 ? "fails once" : `fails ${rule.threshold} times`;
  return {
    job_failures: `${rule.target ?? "any job"} ${failures} within ${time}`,
    dataset_age: `${rule.target ?? "a dataset"} has no commit for ${time}`,
    dead_effects: `${rule.threshold} side effects failed for good`,
    no_worker: `tasks of ${rule.target ?? "any queue"} wait ${time} for a worker`,
    job_alerts: `${rule.target ?? "a job with alert_evaluate"} finds something`,
    pool_trouble: `${rule.target ?? "any pool"} is in trouble for ${time}`,
  }[rule.kind];
}

function isSilenced(rule: AlertRule): boolean {
  return rule.silenced_until !== null && Date.parse(rule.silenced_until) > Date.now();
}

function State({ rule }: { rule: AlertRule }) {
  if (!isSilenced(rule)) return <StatusBadge status="active" />;
  return (
    <span className="inline-flex items-center gap-2">
      <StatusBadge status="silenced" tone="warn" />
      <span className="text-xs text-muted">
        ends <Time at={rule.silenced_until} />
      </span>
    </span>
  );
}

/** The rules that find alerts: create, silence, delete. */
export function Rules() {
  const rules = useAlertRules();
  const mayWrite = useMay("alerts:write");
  const [creating, setCreating] = useState(false);
  const actions: Column<AlertRule> = { name: "Actions", cell: (rule) => <Actions rule={rule} /> };
  return (
    <Panel title="Rules" flush aside={mayWrite && <Button onClick={() => setCreating(true)}>Create a rule</Button>}>
      <Loaded read={rules}>
        {() => (
          <DataTable
            label="Rules"
            rows={rules.rows}
            columns={mayWrite ? [...COLUMNS, actions] : COLUMNS}
            rowKey={(rule) => rule.name}
            more={{ has: rules.hasNextPage, busy: rules.isFetchingNextPage, load: rules.fetchNextPage }}
            empty={<Empty title="There are no rules yet." command="tenuto alerts set failures job_failures" />}
          />
        )}
      </Loaded>
      {creating && <CreateRule close={() => setCreating(false)} />}
    </Panel>
  );
}

function Actions({ rule }: { rule: AlertRule }) {
  const silence = useSilenceRule();
  const remove = useDeleteRule();
  const confirm = useConfirm();
  const act = useAct();
  const path = { name: rule.name };
  const ask = async () => {
    const agreed = await confirm({
      title: `Delete the rule ${rule.name}?`,
      happens: "It finds nothing any more, and its open alerts are resolved.",
      undo: "This cannot be undone; create the rule again.",
      action: "Delete the rule",
      danger: true,
    });
    if (agreed) await act(() => remove.mutateAsync({ path }), `${rule.name} is deleted.`);
  };
  const silent = isSilenced(rule);
  const seconds = silent ? 0 : SILENCE_SECONDS;
  const done = silent ? `${rule.name} delivers again.` : `${rule.name} delivers nothing for an hour.`;
  return (
    <div className="flex flex-wrap gap-1">
      <Button onClick={() => void act(() => silence.mutateAsync({ path, body: { seconds } }), done)}>
        {silent ? "End the silence" : "Silence for 1 h"}
      </Button>
      <Button kind="danger" onClick={() => void ask()}>
        Delete
      </Button>
    </div>
  );
}

const KINDS = [
  ["job_failures", "a job fails"],
  ["dataset_age", "a dataset is old"],
  ["dead_effects", "side effects failed for good"],
  ["no_worker", "tasks wait for a worker"],
  ["job_alerts", "a job finds something in data"],
  ["pool_trouble", "a pool is in trouble"],
] as const;

const TARGETS: Record<PutAlertRuleRequest["kind"], string | null> = {
  job_failures: "Job as DAG/JOB; empty for any",
  dataset_age: "Dataset",
  dead_effects: null,
  no_worker: "Queue; empty for any",
  job_alerts: "Job as DAG/JOB; empty for any",
  pool_trouble: "Pool; empty for any",
};

function CreateRule({ close }: { close: () => void }) {
  const set = useSetAlertRule();
  const act = useAct();
  const [name, setName] = useState("");
  const [kind, setKind] = useState<PutAlertRuleRequest["kind"]>("job_failures");
  const [target, setTarget] = useState("");
  const [threshold, setThreshold] = useState("1");
  const [minutes, setMinutes] = useState("60");
  const [destination, setDestination] = useState("");
  const label = TARGETS[kind];
  const submit = async () => {
    const body = {
      kind,
      target: label === null || target === "" ? null : target,
      threshold: Number(threshold),
      seconds: Math.round(Number(minutes) * 60),
      destination: destination === "" ? null : destination,
    };
    if (await act(() => set.mutateAsync({ path: { name }, body }), `The rule ${name} is active.`)) close();
  };
  return (
    <FormDialog
      title="Create a rule"
      about="A rule with the same name is replaced."
      action="Create the rule"
      busy={set.isPending}
      close={close}
      submit={() => void submit()}
    >
      <Field label="Name" required autoFocus value={name} onChange={setName} />
      <SelectField label="Fires if" value={kind} options={KINDS} onChange={setKind} />
      {label !== null && (
        <Field label={label} required={kind === "dataset_age"} value={target} onChange={setTarget} />
      )}
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label="How many" type="number" min={1} max={1000} required value={threshold} onChange={setThreshold} />
        <Field label="Minutes" type="number" min={1} max={525_600} required value={minutes} onChange={setMinutes} />
      </div>
      <Field label="Destination of the outbox; empty to deliver nowhere" value={destination} onChange={setDestination} />
    </FormDialog>
  );
}
