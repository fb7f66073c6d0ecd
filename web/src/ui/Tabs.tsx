import { useEffect, useRef } from "react";

interface TabsProps<T extends string> {
  label: string;
  tabs: readonly (readonly [T, string])[];
  value: T;
  onChange: (tab: T) => void;
}

/** The parts of a page, of which one is shown; the page keeps the choice in its URL. */
export function Tabs<T extends string>({ label, tabs, value, onChange }: TabsProps<T>) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // On a phone the chosen tab may be beside the screen.
    const chosen = list.current?.querySelector<HTMLElement>("[aria-selected=true]");
    if (chosen) list.current?.scrollTo({ left: chosen.offsetLeft - 48 });
  }, [value]);
  return (
    <div
      ref={list}
      role="tablist"
      aria-label={label}
      className="relative flex gap-1 overflow-x-auto border-b border-line"
    >
      {tabs.map(([tab, name]) => (
        <button
          key={tab}
          type="button"
          role="tab"
          aria-selected={tab === value}
          onClick={() => onChange(tab)}
          className={`-mb-px border-b-2 px-3 py-2 text-sm whitespace-nowrap ${
            tab === value ? "border-accent font-medium" : "border-transparent text-muted hover:text-text"
          }`}
        >
          {name}
        </button>
      ))}
    </div>
  );
}
