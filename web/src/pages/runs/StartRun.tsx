import { useNavigate } from "@tanstack/react-router";
import { useId, useState } from "react";

import { useTypeNames } from "../../api/names";
import { useStartRun } from "../../api/runs";
import { CodeArea } from "../../ui/code/CodeArea";
import { Field, FormDialog } from "../../ui/Form";
import { useAct, useToast } from "../../ui/toast";

interface StartRunProps {
  close: () => void;
  /** What to begin with, such as the type and input of another run. */
  type?: string;
  input?: unknown;
}

/** Starts one task of a type, and opens its run. */
export function StartRun({ close, type: first = "", input = {} }: StartRunProps) {
  const start = useStartRun();
  const act = useAct();
  const toast = useToast();
  const navigate = useNavigate();
  const types = useTypeNames();
  const listId = useId();
  const [type, setType] = useState(first);
  const [text, setText] = useState(JSON.stringify(input ?? {}, null, 2));
  const submit = async () => {
    let parsed: unknown;
    try {
      parsed = JSON.parse(text);
    } catch {
      toast.failed(new Error('The arguments are not JSON; write {} or {"name": "value"}.'));
      return;
    }
    await act(async () => {
      const body = { type, input: parsed as Record<string, unknown> };
      const started = await start.mutateAsync({ body });
      close();
      if ("id" in started) await navigate({ to: "/runs/$runId", params: { runId: started.id } });
    }, `${type} is started.`);
  };
  return (
    <FormDialog
      title="Start a run"
      about="One task of this type starts, with the options that its worker declared. You can cancel it."
      action="Start the run"
      busy={start.isPending}
      close={close}
      submit={() => void submit()}
    >
      <Field label="Task type" required autoFocus list={listId} placeholder="app.task" value={type} onChange={setType} />
      <datalist id={listId}>
        {types.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <div className="text-sm">
        Arguments as JSON
        <div className="mt-1">
          <CodeArea label="Arguments as JSON" text={text} onChange={setText} rows={6} />
        </div>
      </div>
    </FormDialog>
  );
}
