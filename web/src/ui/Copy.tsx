import { useState } from "react";

/** A text that one click copies, such as an id or a command. */
export function Copy({ text, shown, className = "" }: { text: string; shown?: string; className?: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    window.setTimeout(() => setCopied(false), 1500);
  };
  return (
    <button
      type="button"
      onClick={(event) => {
        event.stopPropagation();
        void copy();
      }}
      title={`Copy ${text}`}
      className={`inline-flex max-w-full items-center gap-1 rounded px-1 font-mono text-xs hover:bg-raised
        ${className}`}
    >
      <span className="truncate">{shown ?? text}</span>
      <CopyIcon done={copied} />
      <span className="sr-only">{copied ? "copied" : "copy"}</span>
    </button>
  );
}

function CopyIcon({ done }: { done: boolean }) {
  return (
    <svg viewBox="0 0 16 16" className="size-3 shrink-0 fill-none stroke-muted" strokeWidth="1.5" aria-hidden="true">
      {done ? <path d="M3 8.5 6.5 12 13 4.5" /> : <path d="M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3" />}
    </svg>
  );
}

/** A command of the CLI to copy. */
export function Command({ text }: { text: string }) {
  return <Copy text={text} className="border border-line bg-raised px-2 py-1 text-left" />;
}

/** The part of an id that people compare: its last eight digits, which are random. */
export function shortId(id: string): string {
  return id.length === 36 ? id.slice(-8) : id;
}
