import { useState } from "react";

import { useSendSignal } from "../../api/runs";
import { Field, FormDialog } from "../../ui/Form";
import { useAct, useToast } from "../../ui/toast";

/** Sends a signal to a run: a task that waits for its name goes on with the value. */
export function SendSignal({ runId, close }: { runId: string; close: () => void }) {
  const send = useSendSignal();
  const act = useAct();
  const toast = useToast();
  const [name, setName] = useState("");
  const [value, setValue] = useState("");
  const submit = async () => {
    let parsed: unknown = null;
    try {
      parsed = value.trim() === "" ? null : JSON.parse(value);
    } catch {
      toast.failed(new Error("The value is not JSON; write a text as \"text\"."));
      return;
    }
    const parts = { path: { run_id: runId }, body: { name, value: parsed } };
    if (await act(() => send.mutateAsync(parts), `The signal ${name} is sent.`)) close();
  };
  return (
    <FormDialog
      title="Send a signal"
      about="A task that waits for a signal of this name goes on with the value. A signal cannot be taken back."
      action="Send the signal"
      busy={send.isPending}
      close={close}
      submit={() => void submit()}
    >
      <Field label="Name" required autoFocus placeholder="approved" value={name} onChange={setName} />
      <Field label="Value as JSON; empty for none" placeholder='{"by": "ada"}' value={value} onChange={setValue} />
    </FormDialog>
  );
}
