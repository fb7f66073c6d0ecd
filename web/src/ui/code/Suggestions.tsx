import { useEffect, useRef } from "react";

import type { Suggestion } from "./completion";

interface SuggestionsProps {
  id: string;
  suggestions: Suggestion[];
  chosen: number;
  place: { left: number; top: number };
  choose: (index: number) => void;
}

/** The list below the caret. The focus stays in the text, which names the chosen entry for screen readers. */
export function Suggestions({ id, suggestions, chosen, place, choose }: SuggestionsProps) {
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  return (
    <ul
      ref={list}
      id={id}
      role="listbox"
      aria-label="Suggestions"
      style={place}
      className="fixed z-30 max-h-56 w-80 max-w-[calc(100vw-1rem)] overflow-y-auto rounded-md border border-line
        bg-panel py-1 font-sans text-sm shadow-lg"
    >
      {suggestions.map((suggestion, index) => (
        <li
          key={suggestion.text}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === chosen}
          // Before the text loses the focus, which would close the list.
          onMouseDown={(event) => {
            event.preventDefault();
            choose(index);
          }}
          className={`cursor-pointer px-3 py-1 ${index === chosen ? "bg-raised" : ""}`}
        >
          <span className="font-mono text-xs">{suggestion.text}</span>
          {suggestion.about !== undefined && (
            <span className="block truncate text-xs text-muted" title={suggestion.about}>
              {suggestion.about}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
