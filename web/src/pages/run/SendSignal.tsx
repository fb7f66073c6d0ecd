import { useState } from "react";

import { parseJson } from "../../api/json";
import { useAwaitedSignals, useSendSignal } from "../../api/runs";
import { Field, FormDialog, SelectField } from "../../ui/Form";
import { describeSignal } from "./AwaitedSignals";

/** Sends a signal to a run: offers the signals that its tasks wait for, and takes any other name too. */
export function SendSignal({ runId, close }: { runId: string; close: () => void }) {
  const send = useSendSignal();
  const awaited = useAwaitedSignals(runId, true);
  const [chosen, setChosen] = useState<string>();
  const [other, setOther] = useState("");
  const [value, setValue] = useState("");
  if (awaited.data === undefined) return null;
  const signals = awaited.data.items;
  const first = signals[0]?.name ?? "";
  const offered = chosen ?? first;
  const name = offered === "" ? other : offered;
  const waiting = signals.find((signal) => signal.name === name);
  const submit = async () => {
    await send.mutateAsync({ path: { run_id: runId }, body: { name, value: parse(value) } });
  };
  const options = new Map(signals.map((signal) => [signal.name, describeSignal(signal)]));
  return (
    <FormDialog
      title="Send a signal"
      about={
        waiting === undefined
          ? "No task of the run waits for this signal now. It is kept until a task waits for it. It cannot be undone."
          : "The task that waits for this signal continues with the value. It cannot be undone."
      }
      action="Send the signal"
      done={`The signal ${name} is sent.`}
      close={close}
      submit={submit}
    >
      {first !== "" && (
        <SelectField
          label="Signal"
          value={offered}
          options={[...options, ["", "Another signal, for which no task waits"]]}
          onChange={setChosen}
        />
      )}
      {offered === "" && <Field label="Name" required autoFocus value={other} onChange={setOther} />}
      <Field
        label="Value as JSON; empty for none"
        placeholder={waiting?.expects ?? "any value"}
        value={value}
        onChange={setValue}
      />
    </FormDialog>
  );
}

function parse(value: string): unknown {
  if (value.trim() === "") return null;
  try {
    return parseJson(value);
  } catch {
    throw new Error('The value is not JSON; write a text as "text".');
  }
}
