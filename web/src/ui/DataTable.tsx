import { useEffect, useRef, useState, type ReactNode, type RefObject } from "react";

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
  /** Whether a row can be selected; all can without it. */
  selectable?: (row: T) => boolean;
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
  const region = useRef<HTMLDivElement>(null);
  const cursor = useCursor(rows, rowKey, region, { open, selection, selectable: props.selectable });
  if (rows.length === 0) return <>{props.empty}</>;
  const selectable = rows.filter((row) => props.selectable?.(row) !== false).map(rowKey);
  const all = selection !== undefined && selectable.length > 0 && selectable.every((key) => selection.keys.has(key));
  return (
    // A table that is wider than its panel scrolls; the focus lets the keyboard scroll it too.
    <div ref={region} data-list className="overflow-x-auto" tabIndex={0} role="region" aria-label={props.label}>
      <table className="w-full border-collapse text-sm">
        <thead>
          <tr className="border-b border-line text-left text-xs text-muted">
            {selection !== undefined && (
              <th scope="col" className="w-8 py-2 pl-4">
                <input
                  type="checkbox"
                  aria-label="Select all rows shown"
                  checked={all}
                  disabled={selectable.length === 0}
                  onChange={() => selection.set(all ? [] : selectable)}
                />
              </th>
            )}
            {columns.map((column) => (
              <th
                key={column.name}
                scope="col"
                className={`px-3 py-2 font-medium whitespace-nowrap first:pl-4 last:pr-4 ${place(column)}`}
              >
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr
              key={rowKey(row)}
              data-active={rowKey(row) === cursor}
              onClick={(event) => {
                if (open === undefined || (event.target as HTMLElement).closest("a,button,input,label") !== null)
                  return;
                if (window.getSelection()?.toString() === "") open(row);
              }}
              className={`border-b border-line last:border-0 hover:bg-raised data-[active=true]:bg-raised
                data-[active=true]:outline-2 data-[active=true]:-outline-offset-2 data-[active=true]:outline-accent
                ${open === undefined ? "" : "cursor-pointer"}`}
            >
              {selection !== undefined && (
                <td className="py-2 pl-4 align-middle">
                  {selectable.includes(rowKey(row)) && (
                    <input
                      type="checkbox"
                      aria-label={`Select row ${index + 1}`}
                      checked={selection.keys.has(rowKey(row))}
                      onChange={() => selection.toggle(rowKey(row))}
                      className="block"
                    />
                  )}
                </td>
              )}
              {columns.map((column) => (
                <td
                  key={column.name}
                  className={`px-3 py-2 align-middle first:pl-4 last:pr-4 ${place(column)} ${column.className ?? ""}`}
                >
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

interface Cursor {
  key: string;
  index: number;
}

type Actions<T> = Pick<DataTableProps<T>, "open" | "selection" | "selectable">;

/** Moves through the rows by keys, and returns the key of the row that they act on. It stays with its row when a live
 * list gets new ones. Of several lists on a page, the keys belong to the one with the focus, otherwise to the first. */
function useCursor<T>(
  rows: T[],
  rowKey: (row: T) => string,
  region: RefObject<HTMLDivElement | null>,
  { open, selection, selectable }: Actions<T>,
): string | undefined {
  const [cursor, setCursor] = useState<Cursor>();
  const current = cursor === undefined ? undefined : rows.find((row) => rowKey(row) === cursor.key);
  const isMine = () => {
    const lists = [...document.querySelectorAll("[data-list]")];
    return (
      region.current !== null &&
      region.current === (lists.find((list) => list.contains(document.activeElement)) ?? lists[0])
    );
  };
  const move = (by: 1 | -1) => {
    if (!isMine()) return false;
    const found = current === undefined ? -1 : rows.indexOf(current);
    // The rows after one that is gone have moved up.
    const from = found >= 0 ? found : (cursor?.index ?? 0) - (by === 1 ? 1 : 0);
    const index = Math.max(0, Math.min(rows.length - 1, from + by));
    const row = rows[index];
    if (row === undefined) return false;
    setCursor({ key: rowKey(row), index });
    region.current?.querySelectorAll("tbody tr")[index]?.scrollIntoView({ block: "nearest" });
    return true;
  };
  const withCurrent = (act: (row: T) => void) => () => {
    if (current === undefined || !isMine()) return false;
    act(current);
    return true;
  };
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    Enter: withCurrent((row) => open?.(row)),
    x: withCurrent((row) => selectable?.(row) !== false && selection?.toggle(rowKey(row))),
  });
  return current === undefined ? undefined : cursor?.key;
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
