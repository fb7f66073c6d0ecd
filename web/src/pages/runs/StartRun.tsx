import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";

import { useTypeNames } from "../../api/names";
import { useStartRun } from "../../api/runs";
import { CodeArea } from "../../ui/code/CodeArea";
import { Field, FormDialog, parseArguments } from "../../ui/Form";

interface StartRunProps {
  close: () => void;
  /** What to begin with, such as the type and input of another run. */
  type?: string;
  input?: unknown;
}

/** Starts one task of a type, and opens its run. */
export function StartRun({ close, type: first = "", input = {} }: StartRunProps) {
  const start = useStartRun();
  const navigate = useNavigate();
  const types = useTypeNames();
  const [type, setType] = useState(first);
  const [text, setText] = useState(JSON.stringify(input ?? {}, null, 2));
  const [anyway, setAnyway] = useState(false);
  const submit = async () => {
    const started = await start.mutateAsync({ body: { type, input: parseArguments(text), strict: !anyway } });
    if ("id" in started) await navigate({ to: "/runs/$runId", params: { runId: started.id } });
  };
  return (
    <FormDialog
      title="Start a run"
      about="One task of this type starts, with the options that its worker declared. You can cancel it."
      action="Start the run"
      done={`${type} is started.`}
      close={close}
      submit={submit}
    >
      <Field
        label="Task type"
        required
        autoFocus
        suggestions={types}
        placeholder="app.task"
        value={type}
        onChange={setType}
      />
      <div className="text-sm">
        Arguments as JSON
        <div className="mt-1">
          <CodeArea label="Arguments as JSON" text={text} onChange={setText} rows={6} />
        </div>
      </div>
      <label className="flex items-center gap-2 text-sm">
        <input type="checkbox" checked={anyway} onChange={(event) => setAnyway(event.target.checked)} />
        Start even if no worker has ever served the type
      </label>
    </FormDialog>
  );
}
