import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";

import { Dialog } from "../ui/Dialog";
import type { NavigationEntry } from "./navigation";

interface Target {
  /** The path of a page, with its filters. */
  href: string;
  name: string;
  about: string;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Opens a page by its name, a thing by its id, or the list of what has a name or a type. */
export function Search({ entries, close }: { entries: NavigationEntry[]; close: () => void }) {
  const [text, setText] = useState("");
  const [cursor, setCursor] = useState(0);
  const navigate = useNavigate();
  const targets = find(text.trim(), entries);
  const open = (target: Target | undefined) => {
    if (target === undefined) return;
    close();
    void navigate({ href: target.href });
  };
  const move = (by: number) => setCursor(Math.max(0, Math.min(targets.length - 1, cursor + by)));
  return (
    <Dialog label="Search" close={close} className="mt-[12vh]">
      <input
        autoFocus
        role="combobox"
        aria-label="Search"
        aria-expanded="true"
        aria-controls="found"
        aria-activedescendant={targets.length > 0 ? `found-${cursor}` : undefined}
        value={text}
        placeholder="A page, an id, a name, a type, a worker…"
        onChange={(event) => {
          setText(event.target.value);
          setCursor(0);
        }}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") move(1);
          else if (event.key === "ArrowUp") move(-1);
          else if (event.key === "Enter") open(targets[cursor]);
          else return;
          event.preventDefault();
        }}
        className="h-12 w-full border-b border-line bg-panel px-4 outline-none"
      />
      <ul id="found" role="listbox" aria-label="Found" className="max-h-80 overflow-y-auto p-2">
        {targets.map((target, index) => (
          <li
            key={target.href}
            id={`found-${index}`}
            role="option"
            aria-selected={index === cursor}
            onClick={() => open(target)}
            className="flex cursor-pointer justify-between gap-3 rounded-md px-3 py-2 text-sm hover:bg-raised
              aria-selected:bg-raised"
          >
            <span className="truncate">{target.name}</span>
            <span className="shrink-0 text-muted">{target.about}</span>
          </li>
        ))}
      </ul>
      {targets.length === 0 && <p className="px-5 pb-5 text-sm text-muted">Nothing found.</p>}
    </Dialog>
  );
}

function find(text: string, entries: NavigationEntry[]): Target[] {
  const pages = entries
    .filter((entry) => entry.name.toLowerCase().includes(text.toLowerCase()))
    .map((entry) => ({ href: `/ui${entry.to}`, name: entry.name, about: "page" }));
  if (text === "") return pages;
  const value = encodeURIComponent(text);
  const shown = entries.map((entry) => entry.to);
  const things: [string, Target][] = UUID.test(text)
    ? [
        ["/runs", { href: `/ui/runs/${value}`, name: text, about: "run with this id" }],
        ["/tasks", { href: `/ui/tasks/${value}`, name: text, about: "task with this id" }],
      ]
    : [
        ["/runs", { href: `/ui/runs?name=${quoted(text)}`, name: text, about: "runs with this name" }],
        ["/runs", { href: `/ui/runs?type=${quoted(text)}`, name: text, about: "runs of this type" }],
        ["/tasks", { href: `/ui/tasks?type=${quoted(text)}`, name: text, about: "tasks of this type" }],
        ["/workers", { href: `/ui/workers/${value}`, name: text, about: "worker with this name" }],
      ];
  return [...pages, ...things.filter(([page]) => shown.includes(page)).map(([, target]) => target)];
}

/** A filter as the router writes it into a URL: as JSON if it could be read as something else than a text. */
function quoted(text: string): string {
  try {
    JSON.parse(text);
    return encodeURIComponent(JSON.stringify(text));
  } catch {
    return encodeURIComponent(text);
  }
}
