interface CodeAreaProps {
  label: string;
  text: string;
  onChange: (text: string) => void;
  /** Lines with a problem, from 1; they are marked beside the text. */
  marked?: ReadonlySet<number>;
  rows?: number;
  onSubmit?: () => void;
}

const NONE: ReadonlySet<number> = new Set();

/** A text field with line numbers for code. Tab indents; Ctrl or ⌘ with Enter submits; Escape leaves it. */
export function CodeArea({ label, text, onChange, marked = NONE, rows = 8, onSubmit }: CodeAreaProps) {
  const count = Math.max(text.split("\n").length, rows);
  return (
    <div className="flex max-h-[65vh] overflow-auto rounded-md border border-line bg-page font-mono text-xs leading-5">
      <div aria-hidden="true" className="sticky left-0 border-r border-line bg-raised py-2 text-right text-muted select-none">
        {Array.from({ length: count }, (_, index) => (
          <div key={index} className={`px-2 ${marked.has(index + 1) ? "bg-bad-soft font-semibold text-bad" : ""}`}>
            {index + 1}
          </div>
        ))}
      </div>
      <textarea
        aria-label={label}
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="off"
        wrap="off"
        rows={count}
        value={text}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) onSubmit?.();
          else if (event.key === "Escape") event.currentTarget.blur();
          else if (event.key === "Tab" && !event.shiftKey) {
            const area = event.currentTarget;
            area.setRangeText("  ", area.selectionStart, area.selectionEnd, "end");
            onChange(area.value);
          } else return;
          event.preventDefault();
        }}
        className="min-w-0 flex-1 resize-none overflow-x-auto overflow-y-hidden bg-transparent px-3 py-2 leading-5 outline-none"
      />
    </div>
  );
}
