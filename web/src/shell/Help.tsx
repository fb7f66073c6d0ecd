import { Dialog } from "../ui/Dialog";
import type { NavigationEntry } from "./navigation";

const KEYS: [string, string][] = [
  ["⌘K, Ctrl K or /", "search"],
  ["j, k", "next and previous row of a list"],
  ["Enter", "open the row"],
  ["x", "select the row"],
  ["?", "this help"],
  ["Esc", "close a dialog"],
];

export function Help({ entries, close }: { entries: NavigationEntry[]; close: () => void }) {
  const jumps = entries.flatMap((entry): [string, string][] =>
    entry.key === undefined ? [] : [[`g ${entry.key}`, entry.name]],
  );
  return (
    <Dialog label="Keyboard" close={close}>
      <div className="p-5">
        <h2 className="mb-3 text-base font-semibold">Keyboard</h2>
        <dl className="grid grid-cols-[max-content_1fr] gap-x-6 gap-y-2 text-sm">
          {[...KEYS, ...jumps].map(([keys, meaning]) => (
            <div key={keys} className="contents">
              <dt>
                <kbd className="rounded border border-line bg-raised px-1.5 py-0.5 font-mono text-xs">{keys}</kbd>
              </dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
        <p className="mt-4 text-sm text-muted">
          Every page has a URL that you can share. The reference of the HTTP API is at{" "}
          <a href="/docs" className="underline">
            /docs
          </a>
          ; the commands are listed by <code className="font-mono">tenuto --help</code>.
        </p>
      </div>
    </Dialog>
  );
}
