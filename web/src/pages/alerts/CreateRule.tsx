import { useState } from "react";

import { useSetAlertRule } from "../../api/alerts";
import { useDatasetList } from "../../api/names";
import { useDestinations } from "../../api/outbox";
import type { PutAlertRuleRequest } from "../../api/schema";
import { useMay } from "../../api/session";
import { Field, FormDialog, SelectField } from "../../ui/Form";

type Kind = PutAlertRuleRequest["kind"];

const KINDS = [
  ["job_failures", "a job fails"],
  ["dataset_age", "a dataset is old"],
  ["dead_effects", "side effects failed for good"],
  ["no_worker", "tasks wait for a worker"],
  ["job_alerts", "a job finds something in data"],
  ["pool_trouble", "a pool has problems"],
] as const;

/** The fields that a kind of rule has, by their labels. */
const FIELDS: Record<Kind, { target?: string; threshold?: string; minutes?: string }> = {
  job_failures: { target: "Job as DAG/JOB; empty for any", threshold: "Failures", minutes: "Within minutes" },
  dataset_age: { target: "Dataset", minutes: "Minutes without a commit" },
  dead_effects: { threshold: "Dead side effects" },
  no_worker: { target: "Queue; empty for any", minutes: "Minutes of waiting" },
  job_alerts: { target: "Job as DAG/JOB; empty for any" },
  pool_trouble: { target: "Pool; empty for any", minutes: "Within minutes" },
};

export function CreateRule({ close }: { close: () => void }) {
  const set = useSetAlertRule();
  const destinations = useDestinations(useMay("outbox:read"));
  const datasets = useDatasetList();
  const [name, setName] = useState("");
  const [kind, setKind] = useState<Kind>("job_failures");
  const [target, setTarget] = useState("");
  const [threshold, setThreshold] = useState("1");
  const [minutes, setMinutes] = useState("60");
  const [destination, setDestination] = useState("");
  const fields = FIELDS[kind];
  const submit = () => {
    const body = {
      kind,
      target: fields.target === undefined || target === "" ? null : target,
      ...(fields.threshold === undefined ? {} : { threshold: Number(threshold) }),
      ...(fields.minutes === undefined ? {} : { seconds: Math.round(Number(minutes) * 60) }),
      destination: destination === "" ? null : destination,
    };
    return set.mutateAsync({ path: { name }, body });
  };
  return (
    <FormDialog
      title="Create a rule"
      about="A rule with the same name is replaced."
      action="Create the rule"
      done={`The rule ${name} is active.`}
      close={close}
      submit={submit}
    >
      <Field label="Name" required autoFocus value={name} onChange={setName} />
      <SelectField label="Fires if" value={kind} options={KINDS} onChange={setKind} />
      {fields.target !== undefined && (
        <Field
          label={fields.target}
          required={kind === "dataset_age"}
          suggestions={kind === "dataset_age" ? datasets.map((dataset) => dataset.name) : undefined}
          value={target}
          onChange={setTarget}
        />
      )}
      <div className="grid gap-3 sm:grid-cols-2">
        {fields.threshold !== undefined && (
          <Field
            label={fields.threshold}
            type="number"
            min={1}
            max={1000}
            required
            value={threshold}
            onChange={setThreshold}
          />
        )}
        {fields.minutes !== undefined && (
          <Field
            label={fields.minutes}
            type="number"
            min={1}
            max={525_600}
            required
            value={minutes}
            onChange={setMinutes}
          />
        )}
      </div>
      <Field
        label="Deliver to this destination of the outbox; empty for none"
        suggestions={(destinations.data?.items ?? []).map((known) => known.name)}
        value={destination}
        onChange={setDestination}
      />
    </FormDialog>
  );
}
