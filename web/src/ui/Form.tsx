import { useId, useState, type InputHTMLAttributes, type ReactNode, type SubmitEvent } from "react";

import { parseJson } from "../api/json";
import { Button } from "./Button";
import { Dialog } from "./Dialog";
import { toastOf, useToast } from "./toast";

export const FIELD = "mt-1 h-9 w-full rounded-md border border-line bg-page px-2 text-sm";

interface FieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, "onChange"> {
  label: ReactNode;
  value: string;
  onChange: (value: string) => void;
  /** What can be chosen; other texts can be written too. */
  suggestions?: string[];
}

/** A text field below its name. */
export function Field({ label, value, onChange, suggestions, ...rest }: FieldProps) {
  const listId = useId();
  const list = suggestions === undefined ? undefined : listId;
  return (
    <label className="block text-sm">
      {label}
      <input {...rest} list={list} value={value} onChange={(event) => onChange(event.target.value)} className={FIELD} />
      {suggestions !== undefined && (
        <datalist id={listId}>
          {suggestions.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      )}
    </label>
  );
}

/** The arguments of a task as a form has them. */
export function parseArguments(text: string): Record<string, unknown> {
  try {
    return parseJson(text) as Record<string, unknown>;
  } catch {
    throw new Error('The arguments are not JSON; write {} or {"name": "value"}.');
  }
}

interface SelectFieldProps<T extends string> {
  label: ReactNode;
  value: T;
  options: readonly (readonly [T, string])[];
  onChange: (value: T) => void;
}

/** A choice of one of several values below its name. */
export function SelectField<T extends string>({ label, value, options, onChange }: SelectFieldProps<T>) {
  return (
    <label className="block text-sm">
      {label}
      <select value={value} onChange={(event) => onChange(event.target.value as T)} className={FIELD}>
        {options.map(([key, name]) => (
          <option key={key} value={key}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

interface FormDialogProps {
  title: string;
  about?: ReactNode;
  action: string;
  /** What the user is told once `submit` has succeeded. */
  done?: string;
  close: () => void;
  submit: () => unknown;
  children: ReactNode;
}

/** A dialog with a form. It closes when `submit` has succeeded; otherwise it shows why not, above its buttons. */
export function FormDialog({ title, about, action, done, close, submit, children }: FormDialogProps) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const toast = useToast();
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      await submit();
      if (done !== undefined) toast.done(done);
      close();
    } catch (reason) {
      setError(reason);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog label={title} close={close}>
      <form onSubmit={(event) => void send(event)} className="flex flex-col gap-3 p-5">
        <h2 className="text-base font-semibold">{title}</h2>
        {about !== undefined && <p className="text-sm text-muted">{about}</p>}
        {children}
        {error !== undefined && <FormError error={error} />}
        <div className="mt-2 flex justify-end gap-2">
          <Button onClick={close}>Close</Button>
          <Button kind="primary" type="submit" busy={busy}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Why a form was refused. A dialog covers toasts, so its errors are shown inside. */
export function FormError({ error }: { error: unknown }) {
  const { text, hint } = toastOf(error);
  return (
    <div role="alert" className="rounded-md bg-bad-soft px-3 py-2 text-sm">
      <p className="text-bad [overflow-wrap:anywhere]">{text}</p>
      {hint != null && <p className="mt-1 text-xs">{hint}</p>}
    </div>
  );
}
