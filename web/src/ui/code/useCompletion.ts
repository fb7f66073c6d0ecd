import { useId, useState, type KeyboardEvent } from "react";

import type { Complete, Completion } from "./completion";

const LINE_PIXELS = 20; // leading-5 of the text
const LIST_PIXELS = 240;

interface Opened extends Completion {
  chosen: number;
  place: { left: number; top: number };
}

/** Suggestions at the caret of a text field: opened by typing or Ctrl Space, chosen by arrows, Enter, Tab, a click. */
export function useCompletion(complete: Complete | undefined, onChange: (text: string) => void) {
  const [opened, setOpened] = useState<Opened | null>(null);
  const id = useId();
  const close = () => setOpened(null);

  const open = (area: HTMLTextAreaElement, asked: boolean) => {
    const found = complete?.(area.value, area.selectionStart, asked) ?? null;
    const nothing = found === null || found.suggestions.length === 0 || area.selectionStart !== area.selectionEnd;
    setOpened(nothing ? null : { ...found, chosen: 0, place: caretPlace(area, found.from) });
  };

  /** Opens the list while single letters are typed, and not for text that is pasted. */
  const follow = (area: HTMLTextAreaElement, event: InputEvent) => {
    if (event.data?.length === 1 || (opened !== null && event.inputType.startsWith("delete"))) open(area, false);
    else close();
  };

  const accept = (area: HTMLTextAreaElement, index: number) => {
    const suggestion = opened?.suggestions[index];
    if (opened === null || suggestion === undefined) return;
    area.setRangeText(suggestion.text + (suggestion.after ?? ""), opened.from, area.selectionStart, "end");
    onChange(area.value);
    close();
  };

  /** Whether the chosen suggestion is all typed: Enter then begins a line. */
  const isTyped = (area: HTMLTextAreaElement): boolean => {
    const suggestion = opened?.suggestions[opened.chosen];
    return suggestion?.after === undefined && suggestion?.text === area.value.slice(opened?.from, area.selectionStart);
  };

  /** Handles a key; returns whether it was one of the list. */
  const press = (event: KeyboardEvent<HTMLTextAreaElement>): boolean => {
    const area = event.currentTarget;
    if (event.key === " " && event.ctrlKey) open(area, true);
    else if (opened === null || event.metaKey || event.ctrlKey || event.altKey) return false;
    else if (event.key === "ArrowDown")
      setOpened({ ...opened, chosen: (opened.chosen + 1) % opened.suggestions.length });
    else if (event.key === "ArrowUp")
      setOpened({ ...opened, chosen: (opened.chosen + opened.suggestions.length - 1) % opened.suggestions.length });
    else if (event.key === "Enter" && isTyped(area)) return false;
    else if (event.key === "Enter" || (event.key === "Tab" && !event.shiftKey)) accept(area, opened.chosen);
    else if (event.key === "Escape") close();
    else {
      if (event.key.startsWith("Arrow") || event.key === "Home" || event.key === "End") close();
      return false;
    }
    return true;
  };

  return { opened, id, follow, press, accept, close };
}

/** Where the list goes: below the character at `from`, or above it if there is no room below. */
function caretPlace(area: HTMLTextAreaElement, from: number): { left: number; top: number } {
  const before = area.value.slice(0, from).split("\n");
  const box = area.getBoundingClientRect();
  const style = getComputedStyle(area);
  const canvas = document.createElement("canvas").getContext("2d");
  if (canvas !== null) canvas.font = style.font;
  const left =
    box.left + parseFloat(style.paddingLeft) + (canvas?.measureText(before.at(-1) ?? "").width ?? 0) - area.scrollLeft;
  const line = box.top + parseFloat(style.paddingTop) + (before.length - 1) * LINE_PIXELS - area.scrollTop;
  const below = line + LINE_PIXELS;
  return {
    left: Math.max(8, Math.min(left, window.innerWidth - 328)),
    top: below + LIST_PIXELS > window.innerHeight && line > LIST_PIXELS ? line - LIST_PIXELS : below,
  };
}
