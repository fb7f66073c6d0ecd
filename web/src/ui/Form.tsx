import type { InputHTMLAttributes, ReactNode, SubmitEvent } from "react";

import { Button } from "./Button";
import { Dialog } from "./Dialog";

export const FIELD = "mt-1 h-9 w-full rounded-md border border-line bg-page px-2 text-sm";

interface FieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, "onChange"> {
  label: ReactNode;
  value: string;
  onChange: (value: string) => void;
}

/** A text field below its name. */
export function Field({ label, value, onChange, ...rest }: FieldProps) {
  return (
    <label className="block text-sm">
      {label}
      <input {...rest} value={value} onChange={(event) => onChange(event.target.value)} className={FIELD} />
    </label>
  );
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
  busy: boolean;
  close: () => void;
  submit: () => void;
  children: ReactNode;
}

/** A dialog with a form; `submit` closes it when it has succeeded. */
export function FormDialog({ title, about, action, busy, close, submit, children }: FormDialogProps) {
  const send = (event: SubmitEvent) => {
    event.preventDefault();
    submit();
  };
  return (
    <Dialog label={title} close={close}>
      <form onSubmit={send} className="flex flex-col gap-3 p-5">
        <h2 className="text-base font-semibold">{title}</h2>
        {about !== undefined && <p className="text-sm text-muted">{about}</p>}
        {children}
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
