import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";

import type { SearchResult } from "../api/schema";
import { useSearch } from "../api/search";
import { Dialog } from "../ui/Dialog";
import { useLater } from "../ui/useLater";
import type { NavigationEntry } from "./navigation";

interface Target {
  /** The path of a page, with its filters. */
  href: string;
  name: string;
  about: string;
}

const PAUSE_MS = 200;

/** Opens a page by its name, or what the org has with a name or an id. */
export function Search({ entries, close }: { entries: NavigationEntry[]; close: () => void }) {
  const [text, setText] = useState("");
  const [cursor, setCursor] = useState(0);
  const navigate = useNavigate();
  const asked = useLater(text.trim(), PAUSE_MS);
  const search = useSearch(asked);
  const found = text.trim() === "" ? [] : (search.data?.items ?? []);
  const targets = [...pagesOf(text.trim(), entries), ...found.map(targetOf)];
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
        placeholder="A page, an id, a name, a type, a worker, a dataset…"
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
      {targets.length === 0 && (
        <p className="px-5 pb-5 text-sm text-muted">
          {search.error !== null
            ? search.error.message
            : search.isFetching || asked !== text.trim()
              ? "Searching…"
              : "Nothing found. An id is found by its first 12 digits."}
        </p>
      )}
    </Dialog>
  );
}

function pagesOf(text: string, entries: NavigationEntry[]): Target[] {
  return entries
    .filter((entry) => entry.name.toLowerCase().includes(text.toLowerCase()))
    .map((entry) => ({ href: `/ui${entry.to}`, name: entry.name, about: "page" }));
}

function targetOf(found: SearchResult): Target {
  const path = {
    run: found.id === null ? `runs?name=${quoted(found.name)}` : `runs/${found.id}`,
    task: `tasks/${found.id ?? ""}`,
    type: `tasks?type=${quoted(found.name)}`,
    worker: `workers/${encodeURIComponent(found.name)}`,
    dataset: `datasets/${encodeURIComponent(found.name)}`,
    dag: `dags/${encodeURIComponent(found.name)}`,
    queue: `tasks?queue=${quoted(found.name)}`,
    schedule: "schedules",
  }[found.kind];
  const about = found.kind === "worker" || found.kind === "schedule" ? `${found.kind}, ${found.about}` : found.about;
  return { href: `/ui/${path}`, name: found.name, about };
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
