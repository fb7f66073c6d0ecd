interface TabsProps<T extends string> {
  label: string;
  tabs: readonly (readonly [T, string])[];
  value: T;
  onChange: (tab: T) => void;
}

/** The parts of a page, of which one is shown; the page keeps the choice in its URL. */
export function Tabs<T extends string>({ label, tabs, value, onChange }: TabsProps<T>) {
  return (
    <div role="tablist" aria-label={label} className="flex gap-1 overflow-x-auto border-b border-line">
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
