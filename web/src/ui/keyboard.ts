import { useEffect, useEffectEvent } from "react";

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

/** Calls the handler of a key, unless the user is typing or a dialog is open. */
export function useKeys(handlers: Record<string, () => void>): void {
  const handle = useEffectEvent((event: KeyboardEvent) => {
    if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
    if (document.querySelector("dialog[open]") !== null) return;
    const handler = handlers[event.key];
    if (handler === undefined) return;
    event.preventDefault();
    handler();
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
