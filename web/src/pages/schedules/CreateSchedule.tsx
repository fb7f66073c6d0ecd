import { useState } from "react";

import { useTypeNames } from "../../api/names";
import { usePutSchedule } from "../../api/schedules";
import { Field, FormDialog, parseArguments, SelectField } from "../../ui/Form";

const CATCH_UP = [
  ["skip", "nothing"],
  ["one", "one run"],
  ["all", "every missed run"],
] as const;

/** Creates a schedule for a task type, or replaces the one with this name. */
export function CreateSchedule({ close }: { close: () => void }) {
  const put = usePutSchedule();
  const types = useTypeNames();
  const [name, setName] = useState("");
  const [type, setType] = useState("");
  const [cron, setCron] = useState("0 6 * * *");
  const [timezone, setTimezone] = useState("UTC");
  const [catchUp, setCatchUp] = useState<(typeof CATCH_UP)[number][0]>("skip");
  const [input, setInput] = useState("{}");
  const submit = async () => {
    const body = { type, cron, timezone, catch_up: catchUp, input: parseArguments(input) };
    await put.mutateAsync({ path: { name }, body });
  };
  return (
    <FormDialog
      title="Create a schedule"
      about="A schedule with the same name is replaced. You can pause or delete it."
      action="Create the schedule"
      done={`The schedule ${name} is saved.`}
      close={close}
      submit={submit}
    >
      <Field label="Name" required autoFocus value={name} onChange={setName} />
      <Field label="Task type" required placeholder="app.task" suggestions={types} value={type} onChange={setType} />
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label="Cron" required value={cron} onChange={setCron} />
        <Field label="Time zone" required value={timezone} onChange={setTimezone} />
      </div>
      <SelectField
        label="If runs were missed, start"
        value={catchUp}
        options={CATCH_UP}
        onChange={setCatchUp}
      />
      <Field label="Arguments as JSON" value={input} onChange={setInput} />
    </FormDialog>
  );
}
