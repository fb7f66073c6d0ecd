import { useEffect, useEffectEvent } from "react";

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** Whether the browser itself does something with Enter here: it follows a link, or presses a button. */
function takesEnter(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest("a,button,summary") !== null;
}

/** Calls the handler of a key, unless the user is typing or a dialog is open. A handler that returns false leaves the
 * key to the browser. */
export function useKeys(handlers: Record<string, () => unknown>): void {
  const handle = useEffectEvent((event: KeyboardEvent) => {
    if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
    if (document.querySelector("dialog[open]") !== null) return;
    if (event.key === "Enter" && takesEnter(event.target)) return;
    const handler = handlers[event.key];
    if (handler !== undefined && handler() !== false) event.preventDefault();
  });
  useEffect(() => {
    window.addEventListener("keydown", handle);
    return () => window.removeEventListener("keydown", handle);
  }, []);
}

/** Calls the handler of ⌘ or Ctrl with a key, wherever the focus is. */
export function useShortcut(key: string, handler: () => void): void {
  const handle = useEffectEvent((event: KeyboardEvent) => {
    if (!(event.metaKey || event.ctrlKey) || event.key.toLowerCase() !== key) return;
    event.preventDefault();
    handler();
  });
  useEffect(() => {
    window.addEventListener("keydown", handle);
    return () => window.removeEventListener("keydown", handle);
  }, []);
}
