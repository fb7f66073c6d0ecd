import { Link, Outlet, useNavigate, useRouterState } from "@tanstack/react-router";
import { useState } from "react";

import { call } from "../api/client";
import { useLiveChanges, type LiveState } from "../api/live";
import { queryClient } from "../api/query";
import { allows, Session, useLogin } from "../api/session";
import type { MeResponse } from "../api/schema";
import { ConfirmProvider } from "../ui/Confirm";
import { useKeys, useShortcut } from "../ui/keyboard";
import { Failure, Loading } from "../ui/States";
import { ToastProvider } from "../ui/Toasts";
import { CopyBanner } from "./CopyBanner";
import { Help } from "./Help";
import { Login } from "./Login";
import { NAVIGATION, type NavigationEntry } from "./navigation";
import { Search } from "./Search";
import { useTheme } from "./theme";

/** Everything around a page. Pages are shown to logged-in users only. */
export function Shell() {
  const login = useLogin();
  if (login.data === undefined) {
    return login.error === null ? (
      <Loading />
    ) : (
      <main className="p-6">
        <Failure error={login.error} retry={() => void login.refetch()} />
      </main>
    );
  }
  if (login.data === null) return <Login />;
  return (
    <Session value={login.data}>
      <ToastProvider>
        <ConfirmProvider>
          <Frame me={login.data} />
        </ConfirmProvider>
      </ToastProvider>
    </Session>
  );
}

function Frame({ me }: { me: MeResponse }) {
  const [dialog, setDialog] = useState<"search" | "help" | null>(null);
  const [menu, setMenu] = useState(false);
  const [jump, setJump] = useState(false);
  const live = useLiveChanges();
  const navigate = useNavigate();
  const entries = NAVIGATION.filter((entry) => allows(me.permissions, entry.permission));
  useShortcut("k", () => setDialog("search"));
  const keys: Record<string, () => void> = {
    "?": () => setDialog("help"),
    "/": () => setDialog("search"),
    g: () => {
      setJump(true);
      window.setTimeout(() => setJump(false), 1200);
    },
  };
  if (jump) {
    for (const entry of entries) {
      if (entry.key !== undefined) keys[entry.key] = () => (setJump(false), void navigate({ to: entry.to }));
    }
  }
  useKeys(keys);
  return (
    <div className="flex min-h-dvh">
      <a href="#content" className="sr-only focus:not-sr-only">
        Skip to the content
      </a>
      <Side entries={entries} open={menu} close={() => setMenu(false)} me={me} live={live} />
      <div className="flex min-w-0 flex-1 flex-col">
        <header className="sticky top-0 z-10 flex h-12 items-center gap-2 border-b border-line bg-panel px-3 md:px-6">
          <button type="button" className="size-8 md:hidden" aria-label="Menu" onClick={() => setMenu(!menu)}>
            ☰
          </button>
          <button
            type="button"
            onClick={() => setDialog("search")}
            className="flex h-8 w-full max-w-md items-center justify-between rounded-md border border-line bg-page px-3
              text-sm text-muted"
          >
            <span className="truncate">Search runs, tasks, types, workers…</span>
            <kbd className="font-sans text-xs max-md:hidden">⌘K</kbd>
          </button>
          <div className="flex-1" />
          <ThemeButton />
          <button
            type="button"
            className="size-8 rounded hover:bg-raised"
            title="Help (?)"
            onClick={() => setDialog("help")}
          >
            ?
          </button>
        </header>
        {allows(me.permissions, "status:read") && <CopyBanner />}
        <main id="content" className="min-w-0 flex-1">
          <Outlet />
        </main>
      </div>
      {dialog === "search" && <Search entries={entries} close={() => setDialog(null)} />}
      {dialog === "help" && <Help entries={entries} close={() => setDialog(null)} />}
    </div>
  );
}

function ThemeButton() {
  const [theme, flip] = useTheme();
  const other = theme === "dark" ? "light" : "dark";
  return (
    <button type="button" className="size-8 rounded hover:bg-raised" title={`Use the ${other} theme`} onClick={flip}>
      <span aria-hidden="true">{theme === "dark" ? "☀" : "☾"}</span>
      <span className="sr-only">Use the {other} theme</span>
    </button>
  );
}

interface SideProps {
  entries: NavigationEntry[];
  open: boolean;
  close: () => void;
  me: MeResponse;
  live: LiveState;
}

const LIVE: Record<LiveState, [string, string]> = {
  connecting: ["bg-muted", "connecting"],
  live: ["bg-ok", "live"],
  offline: ["bg-bad", "no connection; retrying"],
};

function Side({ entries, open, close, me, live }: SideProps) {
  const path = useRouterState({ select: (state) => state.location.pathname });
  const [dot, text] = LIVE[live];
  const logOut = async () => {
    await call("POST /auth/logout");
    await queryClient.invalidateQueries({ queryKey: ["me"] });
  };
  return (
    <>
      {open && <div className="fixed inset-0 z-20 bg-black/40 md:hidden" onClick={close} aria-hidden="true" />}
      <nav
        aria-label="Pages"
        className={`fixed inset-y-0 left-0 z-30 flex w-52 shrink-0 flex-col border-r border-line bg-panel md:sticky
          md:top-0 md:h-dvh ${open ? "" : "max-md:hidden"}`}
      >
        <Link to="/" onClick={close} className="flex h-12 items-center gap-2 border-b border-line px-4 font-semibold">
          <img src="/ui/icon.svg" alt="" className="size-5" />
          Tenuto
        </Link>
        <div className="flex-1 overflow-y-auto p-2">
          {[...new Set(entries.map((entry) => entry.group))].map((group) => (
            <div key={group} className="mb-3">
              <div className="px-2 py-1 text-xs text-muted">{group}</div>
              {entries
                .filter((entry) => entry.group === group)
                .map((entry) => (
                  <Link
                    key={entry.to}
                    to={entry.to}
                    onClick={close}
                    aria-current={isCurrent(entry.to, path) ? "page" : undefined}
                    className="block rounded-md px-2 py-1.5 text-sm hover:bg-raised aria-[current=page]:bg-raised
                      aria-[current=page]:font-medium"
                  >
                    {entry.name}
                  </Link>
                ))}
            </div>
          ))}
        </div>
        <div className="flex flex-col gap-1 border-t border-line p-3 text-xs text-muted">
          <div className="flex items-center gap-2" role="status">
            <span className={`size-2 rounded-full ${dot}`} aria-hidden="true" />
            {text}
          </div>
          <div className="flex items-center justify-between">
            <span className="truncate">{me.name ?? me.platform_role ?? me.kind}</span>
            <button type="button" className="underline hover:text-text" onClick={() => void logOut()}>
              Log out
            </button>
          </div>
        </div>
      </nav>
    </>
  );
}

function isCurrent(to: string, path: string): boolean {
  return to === "/" ? path === "/" : path === to || path.startsWith(`${to}/`);
}
