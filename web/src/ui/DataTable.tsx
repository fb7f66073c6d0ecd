import { useEffect, useRef, useState, type ReactNode } from "react";

import { Button } from "./Button";
import { useKeys } from "./keyboard";

export interface Column<T> {
  name: string;
  cell: (row: T) => ReactNode;
  /** Numbers are aligned to the right. */
  numeric?: boolean;
  /** Left out on narrow screens. */
  wide?: boolean;
  className?: string;
}

interface DataTableProps<T> {
  label: string;
  rows: T[];
  columns: Column<T>[];
  rowKey: (row: T) => string;
  /** Opens a row: Enter, or a click beside its links. */
  open?: (row: T) => void;
  selection?: Selection;
  empty: ReactNode;
  more?: { has: boolean; busy: boolean; load: () => unknown };
}

export interface Selection {
  keys: ReadonlySet<string>;
  toggle: (key: string) => void;
  set: (keys: string[]) => void;
}

export function useSelection(): Selection {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  const toggle = (key: string) =>
    setKeys((old) => {
      const next = new Set(old);
      if (!next.delete(key)) next.add(key);
      return next;
    });
  return { keys, toggle, set: (all) => setKeys(new Set(all)) };
}

/** A list with the keys `j`, `k`, Enter and `x`; the next rows are loaded when the end comes into view. */
export function DataTable<T>(props: DataTableProps<T>) {
  const { rows, columns, rowKey, open, selection } = props;
  const [cursor, setCursor] = useState(-1);
  const body = useRef<HTMLTableSectionElement>(null);
  const move = (by: number) => {
    const next = Math.max(0, Math.min(rows.length - 1, cursor + by));
    setCursor(next);
    body.current?.children[next]?.scrollIntoView({ block: "nearest" });
  };
  const current = rows[cursor];
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    Enter: () => current !== undefined && open?.(current),
    x: () => current !== undefined && selection?.toggle(rowKey(current)),
  });
  if (rows.length === 0) return <>{props.empty}</>;
  const all = selection !== undefined && rows.every((row) => selection.keys.has(rowKey(row)));
  return (
    // A table that is wider than its panel scrolls; the focus lets the keyboard scroll it too.
    <div className="overflow-x-auto" tabIndex={0} role="region" aria-label={props.label}>
      <table className="w-full border-collapse text-sm">
        <thead>
          <tr className="border-b border-line text-left text-xs text-muted">
            {selection !== undefined && (
              <th scope="col" className="w-8 py-2 pl-4">
                <input
                  type="checkbox"
                  aria-label="Select all rows shown"
                  checked={all}
                  onChange={() => selection.set(all ? [] : rows.map(rowKey))}
                />
              </th>
            )}
            {columns.map((column) => (
              <th key={column.name} scope="col" className={`px-3 py-2 font-medium whitespace-nowrap first:pl-4 last:pr-4 ${place(column)}`}>
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {rows.map((row, index) => (
            <tr
              key={rowKey(row)}
              data-active={index === cursor}
              onClick={(event) => {
                if (open === undefined || (event.target as HTMLElement).closest("a,button,input,label") !== null) return;
                if (window.getSelection()?.toString() === "") open(row);
              }}
              className={`border-b border-line last:border-0 hover:bg-raised data-[active=true]:bg-raised
                ${open === undefined ? "" : "cursor-pointer"}`}
            >
              {selection !== undefined && (
                <td className="py-2 pl-4">
                  <input
                    type="checkbox"
                    aria-label={`Select row ${index + 1}`}
                    checked={selection.keys.has(rowKey(row))}
                    onChange={() => selection.toggle(rowKey(row))}
                  />
                </td>
              )}
              {columns.map((column) => (
                <td key={column.name} className={`px-3 py-2 align-middle first:pl-4 last:pr-4 ${place(column)} ${column.className ?? ""}`}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {props.more?.has === true && <More busy={props.more.busy} load={props.more.load} />}
    </div>
  );
}

function place<T>(column: Column<T>): string {
  return `${column.numeric === true ? "text-right tabular-nums" : ""} ${column.wide === true ? "max-md:hidden" : ""}`;
}

function More({ busy, load }: { busy: boolean; load: () => unknown }) {
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const watcher = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting) && !busy) load();
    });
    if (end.current !== null) watcher.observe(end.current);
    return () => watcher.disconnect();
  }, [busy, load]);
  return (
    <div ref={end} className="p-3 text-center">
      <Button busy={busy} onClick={() => void load()}>
        {busy ? "Loading…" : "Load more"}
      </Button>
    </div>
  );
}
