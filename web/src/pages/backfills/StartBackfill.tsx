import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";

import { usePreviewBackfill, useStartBackfill } from "../../api/events";
import { useDatasetList } from "../../api/names";
import type { BackfillRequest } from "../../api/schema";
import { Button } from "../../ui/Button";
import { Field, FormDialog, FormError, SelectField } from "../../ui/Form";
import { formatCount } from "../../ui/time";

const REPROCESS = [
  ["none", "what is missing"],
  ["failed", "what is missing or failed"],
  ["all", "everything again"],
] as const;

const DOWNSTREAM = [
  ["all", "every job that reads it"],
  ["same", "jobs that read the same partition"],
  ["none", "no job"],
] as const;

/** Starts a backfill; the count shows before how much it would compute. */
export function StartBackfill({ close, dataset: chosen = "" }: { close: () => void; dataset?: string }) {
  const start = useStartBackfill();
  const preview = usePreviewBackfill();
  const navigate = useNavigate();
  const datasets = useDatasetList();
  const [dataset, setDataset] = useState(chosen);
  const [first, setFirst] = useState("");
  const [last, setLast] = useState("");
  const [reprocess, setReprocess] = useState<(typeof REPROCESS)[number][0]>("none");
  const [downstream, setDownstream] = useState<(typeof DOWNSTREAM)[number][0]>("all");
  const [concurrency, setConcurrency] = useState("10");
  const [reason, setReason] = useState("");
  const body: BackfillRequest = {
    dataset,
    first: first === "" ? null : first,
    last: last === "" ? null : last,
    reprocess,
    downstream,
    concurrency: Number(concurrency),
    reason: reason === "" ? null : reason,
  };
  const submit = async () => {
    const started = await start.mutateAsync({ body });
    await navigate({ to: "/backfills/$backfillId", params: { backfillId: started.id } });
  };
  const count = preview.data;
  return (
    <FormDialog
      title="Start a backfill"
      about="Readers see the old data of a partition until the new data is committed. You can pause or cancel."
      action="Start the backfill"
      done={`The backfill of ${dataset} has started.`}
      close={close}
      submit={submit}
    >
      <Field
        label="Dataset"
        required
        autoFocus={chosen === ""}
        suggestions={datasets.map((known) => known.name)}
        value={dataset}
        onChange={setDataset}
      />
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label="First partition" placeholder="2026-11-01" value={first} onChange={setFirst} />
        <Field label="Last partition" placeholder="2026-11-30" value={last} onChange={setLast} />
        <SelectField label="Compute" value={reprocess} options={REPROCESS} onChange={setReprocess} />
        <SelectField label="Jobs that react" value={downstream} options={DOWNSTREAM} onChange={setDownstream} />
        <Field
          label="Tasks at a time"
          type="number"
          min={1}
          max={1000}
          required
          value={concurrency}
          onChange={setConcurrency}
        />
        <Field label="Reason" value={reason} onChange={setReason} />
      </div>
      <div className="flex flex-wrap items-center gap-3 text-sm">
        <Button
          busy={preview.isPending}
          disabled={dataset === ""}
          onClick={() => preview.mutate({ body })}
        >
          Count
        </Button>
        {preview.error !== null && <FormError error={preview.error} />}
        {count !== undefined && (
          <span role="status">
            {formatCount(count.total)} partitions: {formatCount(count.starts)} start, {formatCount(count.waits)} wait
            for open tasks, {formatCount(count.skips)} are skipped.
          </span>
        )}
      </div>
    </FormDialog>
  );
}
