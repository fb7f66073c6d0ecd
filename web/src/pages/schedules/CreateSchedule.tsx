import { useState } from "react";

import { usePutSchedule } from "../../api/schedules";
import { Field, FormDialog, SelectField } from "../../ui/Form";
import { useAct, useToast } from "../../ui/toast";

const CATCH_UP = [
  ["skip", "nothing"],
  ["one", "one run"],
  ["all", "every missed run"],
] as const;

/** Creates a schedule for a task type, or replaces the one with this name. */
export function CreateSchedule({ close }: { close: () => void }) {
  const put = usePutSchedule();
  const act = useAct();
  const toast = useToast();
  const [name, setName] = useState("");
  const [type, setType] = useState("");
  const [cron, setCron] = useState("0 6 * * *");
  const [timezone, setTimezone] = useState("UTC");
  const [catchUp, setCatchUp] = useState<(typeof CATCH_UP)[number][0]>("skip");
  const [input, setInput] = useState("{}");
  const submit = async () => {
    let parsed: Record<string, unknown>;
    try {
      parsed = JSON.parse(input) as Record<string, unknown>;
    } catch {
      toast.failed(new Error('The arguments are not JSON; write {} or {"name": "value"}.'));
      return;
    }
    const body = { type, cron, timezone, catch_up: catchUp, input: parsed };
    if (await act(() => put.mutateAsync({ path: { name }, body }), `The schedule ${name} is set.`)) close();
  };
  return (
    <FormDialog
      title="Create a schedule"
      about="A schedule with the same name is replaced. You can pause or delete it."
      action="Create the schedule"
      busy={put.isPending}
      close={close}
      submit={() => void submit()}
    >
      <Field label="Name" required autoFocus value={name} onChange={setName} />
      <Field label="Task type" required placeholder="app.task" value={type} onChange={setType} />
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label="Cron" required value={cron} onChange={setCron} />
        <Field label="Time zone" required value={timezone} onChange={setTimezone} />
      </div>
      <SelectField label="After a time without dispatcher, start" value={catchUp} options={CATCH_UP} onChange={setCatchUp} />
      <Field label="Arguments as JSON" value={input} onChange={setInput} />
    </FormDialog>
  );
}
