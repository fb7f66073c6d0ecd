import { useState } from "react";

import { useSendSignal } from "../../api/runs";
import { parseJson } from "../../api/json";
import { Field, FormDialog } from "../../ui/Form";

/** Sends a signal to a run: a task that waits for its name continues with the value. */
export function SendSignal({ runId, close }: { runId: string; close: () => void }) {
  const send = useSendSignal();
  const [name, setName] = useState("");
  const [value, setValue] = useState("");
  const submit = async () => {
    await send.mutateAsync({ path: { run_id: runId }, body: { name, value: parse(value) } });
  };
  return (
    <FormDialog
      title="Send a signal"
      about="A task that waits for a signal of this name continues with the value; its page shows the name. A
        signal cannot be undone."
      action="Send the signal"
      done={`The signal ${name} is sent.`}
      close={close}
      submit={submit}
    >
      <Field label="Name" required autoFocus placeholder="approved" value={name} onChange={setName} />
      <Field label="Value as JSON; empty for none" placeholder='{"by": "ada"}' value={value} onChange={setValue} />
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
