import { useState } from "react";

import { Button } from "./Button";
import { Field, FormDialog } from "./Form";

interface View<S> {
  name: string;
  search: S;
}

interface SavedViewsProps<S> {
  /** The page whose filters are saved, such as "runs". */
  page: string;
  search: S;
  open: (search: S) => void;
}

const MAX_VIEWS = 20;

/** Filters that a user gave a name, kept in this browser. The URL of a view can be shared as well. */
export function SavedViews<S extends object>({ page, search, open }: SavedViewsProps<S>) {
  const [views, setViews] = useState(() => read<S>(page));
  const [naming, setNaming] = useState(false);
  const keep = (next: View<S>[]) => {
    setViews(next);
    localStorage.setItem(keyOf(page), JSON.stringify(next));
  };
  const isFiltered = Object.values(search).some(Boolean);
  const current = views.find((view) => JSON.stringify(view.search) === JSON.stringify(search));
  return (
    <>
      {views.map((view) => (
        <Button key={view.name} aria-pressed={view === current} onClick={() => open(view.search)}>
          {view.name}
        </Button>
      ))}
      {isFiltered && current === undefined && views.length < MAX_VIEWS && (
        <Button onClick={() => setNaming(true)}>Save as view</Button>
      )}
      {current !== undefined && (
        <Button onClick={() => keep(views.filter((view) => view !== current))}>Forget “{current.name}”</Button>
      )}
      {naming && (
        <NameView
          close={() => setNaming(false)}
          save={(name) => keep([...views.filter((view) => view.name !== name), { name, search }])}
        />
      )}
    </>
  );
}

function NameView({ close, save }: { close: () => void; save: (name: string) => void }) {
  const [name, setName] = useState("");
  return (
    <FormDialog
      title="Save these filters"
      about="They are kept in this browser. You can delete them again."
      action="Save the view"
      close={close}
      submit={() => save(name.trim())}
    >
      <Field label="Name" required autoFocus maxLength={40} value={name} onChange={setName} />
    </FormDialog>
  );
}

function keyOf(page: string): string {
  return `tenuto-views-${page}`;
}

function read<S>(page: string): View<S>[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf(page)) ?? "[]");
    return Array.isArray(stored) ? (stored as View<S>[]) : [];
  } catch {
    return [];
  }
}
