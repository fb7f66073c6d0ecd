import { useEffect, useState } from "react";

const FIELD = "h-8 rounded-md border border-line bg-panel px-2 text-sm";

interface TextFilterProps {
  label: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
  placeholder?: string;
  className?: string;
}

/** A text field that applies what was typed after a short pause. */
export function TextFilter({ label, value, onChange, placeholder, className = "w-44" }: TextFilterProps) {
  const [text, setText] = useState(value ?? "");
  const [applied, setApplied] = useState(value);
  if (value !== applied) {
    setApplied(value);
    setText(value ?? "");
  }
  useEffect(() => {
    const next = text.trim() === "" ? undefined : text.trim();
    if (next === value) return;
    const timer = window.setTimeout(() => onChange(next), 350);
    return () => window.clearTimeout(timer);
  }, [text, value, onChange]);
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={placeholder ?? label}
      value={text}
      onChange={(event) => setText(event.target.value)}
      className={`${FIELD} ${className} max-w-full max-md:w-[calc(50%-0.25rem)]`}
    />
  );
}

interface ChoiceProps {
  label: string;
  value: string | undefined;
  options: readonly (string | readonly [string, string])[];
  onChange: (value: string | undefined) => void;
  all?: string;
}

/** A choice of one value, or of none. */
export function Choice({ label, value, options, onChange, all = "any" }: ChoiceProps) {
  return (
    <label className="inline-flex items-center gap-1.5 text-sm text-muted">
      {label}
      <select
        value={value ?? ""}
        onChange={(event) => onChange(event.target.value === "" ? undefined : event.target.value)}
        className={`${FIELD} text-text`}
      >
        <option value="">{all}</option>
        {options.map((option) => {
          const [key, name] = typeof option === "string" ? [option, option] : option;
          return (
            <option key={key} value={key}>
              {name}
            </option>
          );
        })}
      </select>
    </label>
  );
}

interface ToggleProps {
  label: string;
  options: readonly string[];
  value: readonly string[];
  onChange: (value: string[]) => void;
}

/** Buttons that can be pressed together, such as the states of a list. */
export function Toggles({ label, options, value, onChange }: ToggleProps) {
  return (
    <div role="group" aria-label={label} className="flex flex-wrap gap-1">
      {options.map((option) => {
        const pressed = value.includes(option);
        return (
          <button
            key={option}
            type="button"
            aria-pressed={pressed}
            onClick={() => onChange(pressed ? value.filter((one) => one !== option) : [...value, option])}
            className={`h-8 rounded-md border px-2.5 text-sm ${
              pressed ? "border-accent bg-accent text-on-accent" : "border-line bg-panel hover:bg-raised"
            }`}
          >
            {option}
          </button>
        );
      })}
    </div>
  );
}
