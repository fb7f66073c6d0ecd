import { useEffect } from "react";

import { useRead } from "../api/query";
import { Command } from "../ui/Copy";

/** The page for users who are not logged in: a login by OIDC if the server has an issuer, else the commands that make a
 * link. */
export function Login() {
  const server = useRead("GET /", {}, { key: ["server"] });
  useEffect(() => {
    document.title = "Log in · Tenuto";
  }, []);
  const next = encodeURIComponent(window.location.pathname + window.location.search);
  return (
    <main className="flex min-h-dvh items-center justify-center p-4">
      <div className="flex w-full max-w-md flex-col gap-4 rounded-xl border border-line bg-panel p-6">
        <h1 className="text-lg font-semibold">Log in to Tenuto</h1>
        {server.data?.oidc === true && (
          <a
            href={`/auth/login?next=${next}`}
            className="flex h-10 items-center justify-center rounded-md bg-accent font-medium text-on-accent"
          >
            Log in with your account
          </a>
        )}
        <p className="text-sm text-muted">
          On your own machine, <code className="font-mono">tenuto up</code> prints a login link for an admin. It works
          once; open it in this browser.
        </p>
        <Command text="tenuto up --open" />
        <p className="text-sm text-muted">An admin can create a link for any user:</p>
        <Command text="tenuto users link USER" />
      </div>
    </main>
  );
}
