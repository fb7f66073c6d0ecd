import { useEffect, type ReactNode } from "react";

interface PageProps {
  title: string;
  about?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** The frame of a page: its title, which is also the title of the tab, and its actions. */
export function Page({ title, about, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Tenuto`;
  }, [title]);
  return (
    <div className="mx-auto flex w-full max-w-[1500px] flex-col gap-4 p-4 md:p-6">
      <header className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <h1 className="text-xl font-semibold [overflow-wrap:anywhere]">{title}</h1>
          {about !== undefined && <div className="mt-1 text-sm text-muted">{about}</div>}
        </div>
        {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

interface PanelProps {
  title?: string;
  aside?: ReactNode;
  children: ReactNode;
  flush?: boolean;
  className?: string;
}

/** A box with a heading. `flush` leaves out the padding, for tables. */
export function Panel({ title, aside, children, flush = false, className = "" }: PanelProps) {
  return (
    <section className={`min-w-0 overflow-hidden rounded-lg border border-line bg-panel ${className}`}>
      {title !== undefined && (
        <div className="flex items-center justify-between gap-2 border-b border-line px-4 py-2.5">
          <h2 className="text-sm font-semibold">{title}</h2>
          <div className="text-xs text-muted">{aside}</div>
        </div>
      )}
      <div className={flush ? "" : "p-4"}>{children}</div>
    </section>
  );
}

/** Names and values in two columns. Values that are null are left out. */
export function Facts({ facts }: { facts: [string, ReactNode][] }) {
  return (
    <dl className="grid grid-cols-[max-content_minmax(0,1fr)] content-start items-center gap-x-6 gap-y-1.5 text-sm">
      {facts
        .filter(([, value]) => value !== null && value !== undefined)
        .map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd className="min-w-0 [overflow-wrap:anywhere]">{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** A number with its name, for the top of a page. */
export function Figure({ name, value, about, bad = false }: FigureProps) {
  return (
    <div className="min-w-0 rounded-lg border border-line bg-panel px-4 py-3">
      <div className="truncate text-xs text-muted">{name}</div>
      <div className={`mt-0.5 text-2xl font-semibold tabular-nums ${bad ? "text-bad" : ""}`}>{value}</div>
      {about !== undefined && <div className="mt-0.5 truncate text-xs text-muted">{about}</div>}
    </div>
  );
}

interface FigureProps {
  name: string;
  value: ReactNode;
  about?: ReactNode;
  bad?: boolean;
}
