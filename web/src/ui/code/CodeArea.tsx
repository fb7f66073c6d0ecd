import { useRef } from "react";

import type { Complete } from "./completion";
import { Suggestions } from "./Suggestions";
import { useCompletion } from "./useCompletion";

interface CodeAreaProps {
  label: string;
  text: string;
  onChange: (text: string) => void;
  /** Lines with a problem, from 1; they are marked beside the text. */
  marked?: ReadonlySet<number>;
  rows?: number;
  onSubmit?: () => void;
  complete?: Complete;
}

const NONE: ReadonlySet<number> = new Set();

/** A text field with line numbers for code. Tab indents; Ctrl or ⌘ with Enter submits; Ctrl Space suggests; Escape
 * leaves it. */
export function CodeArea({ label, text, onChange, marked = NONE, rows = 8, onSubmit, complete }: CodeAreaProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const completion = useCompletion(complete, onChange);
  const { opened, id } = completion;
  const count = Math.max(text.split("\n").length, rows);
  const indent = (field: HTMLTextAreaElement) => {
    field.setRangeText("  ", field.selectionStart, field.selectionEnd, "end");
    onChange(field.value);
  };
  return (
    <div
      onScroll={completion.close}
      className="flex max-h-[65vh] items-start overflow-auto rounded-md border border-line bg-page font-mono text-xs
        leading-5"
    >
      <div
        aria-hidden="true"
        className="sticky left-0 border-r border-line bg-raised py-2 text-right text-muted select-none"
      >
        {Array.from({ length: count }, (_, index) => (
          <div key={index} className={`px-2 ${marked.has(index + 1) ? "bg-bad-soft font-semibold text-bad" : ""}`}>
            {index + 1}
          </div>
        ))}
      </div>
      <textarea
        ref={area}
        aria-label={label}
        aria-autocomplete={complete === undefined ? undefined : "list"}
        aria-controls={opened === null ? undefined : id}
        aria-activedescendant={opened === null ? undefined : `${id}-${opened.chosen}`}
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="off"
        wrap="off"
        rows={count}
        value={text}
        onChange={(event) => {
          onChange(event.target.value);
          completion.follow(event.currentTarget, event.nativeEvent as InputEvent);
        }}
        onBlur={completion.close}
        onPointerDown={completion.close}
        onKeyDown={(event) => {
          if (completion.press(event)) event.preventDefault();
          else if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) onSubmit?.();
          else if (event.key === "Escape") event.currentTarget.blur();
          else if (event.key === "Tab" && !event.shiftKey) indent(event.currentTarget);
          else return;
          event.preventDefault();
        }}
        className="min-w-0 flex-1 resize-none overflow-x-auto overflow-y-hidden bg-transparent px-3 py-2 leading-5
          outline-none"
      />
      {opened !== null && (
        <Suggestions
          id={id}
          suggestions={opened.suggestions}
          chosen={opened.chosen}
          place={opened.place}
          choose={(index) => area.current !== null && completion.accept(area.current, index)}
        />
      )}
      <span role="status" className="sr-only">
        {opened === null ? "" : `${opened.suggestions.length} suggestions`}
      </span>
    </div>
  );
}
