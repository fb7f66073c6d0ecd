import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";

import type { ChangeResponse } from "./schema";

const FLUSH_MS = 400;
const RECONNECT_MS = 3000;
const MAX_REFRESHED_PAGES = 4; // longer lists keep what they show: a refresh would request every page again

export type LiveState = "connecting" | "live" | "offline";

/** Follows the stream of changes, and reads again what changed. Tabs of one browser share one stream, because browsers
 * open only six connections per server. */
export function useLiveChanges(): LiveState {
  const client = useQueryClient();
  const [state, setState] = useState<LiveState>("connecting");
  useEffect(() => {
    const pending = new Set<string>();
    let timer: number | undefined;
    const add = (change: ChangeResponse) => {
      for (const key of keysOf(change)) pending.add(JSON.stringify(key));
      timer ??= window.setTimeout(() => {
        timer = undefined;
        for (const key of pending) refresh(client, JSON.parse(key) as string[]);
        pending.clear();
      }, FLUSH_MS);
    };
    const stop = follow(add, setState, () => void client.invalidateQueries({ queryKey: ["me"] }));
    return () => {
      stop();
      window.clearTimeout(timer);
    };
  }, [client]);
  return state;
}

function keysOf(change: ChangeResponse): string[][] {
  if (change.kind === "worker") return [["workers"], ["status"]];
  const keys = [["status"], ["queues"], ["rates"]];
  if (change.run_id !== null) keys.push(["run", change.run_id]);
  if (change.kind === "run") keys.push(["runs"], ["run", change.id]);
  else keys.push(["tasks"], ["task", change.id]);
  return keys;
}

function refresh(client: QueryClient, queryKey: string[]): void {
  void client.invalidateQueries({
    queryKey,
    predicate: (query) => {
      const pages = (query.state.data as { pages?: unknown[] } | undefined)?.pages;
      return pages === undefined || pages.length <= MAX_REFRESHED_PAGES;
    },
  });
}

type Message = { change: ChangeResponse } | { state: LiveState };

/** Opens the stream in the tab that holds the lock; the other tabs get its messages. */
function follow(add: (change: ChangeResponse) => void, show: (state: LiveState) => void, ended: () => void) {
  const channel = new BroadcastChannel("tenuto-changes");
  const stopping = new AbortController();
  channel.onmessage = (event: MessageEvent<Message>) => {
    if ("change" in event.data) add(event.data.change);
    else show(event.data.state);
  };
  const tell = (message: Message) => {
    channel.postMessage(message);
    if ("change" in message) add(message.change);
    else show(message.state);
  };
  const lead = () =>
    new Promise<void>((resolve) => {
      const close = openStream(tell, ended);
      stopping.signal.addEventListener("abort", () => {
        close();
        resolve();
      });
    });
  const locks = (navigator as { locks?: LockManager }).locks; // absent where the page is not served securely
  if (locks === undefined) void lead();
  else {
    show("live"); // a tab that does not lead hears of failures from the one that does
    locks.request("tenuto-changes", { signal: stopping.signal }, lead).catch(() => undefined);
  }
  return () => {
    stopping.abort();
    channel.close();
  };
}

function openStream(tell: (message: Message) => void, ended: () => void): () => void {
  let source: EventSource | undefined;
  let timer: number | undefined;
  const open = () => {
    source = new EventSource("/v1/changes");
    source.addEventListener("ready", () => tell({ state: "live" }));
    source.addEventListener("change", (event: MessageEvent<string>) => {
      tell({ change: JSON.parse(event.data) as ChangeResponse });
    });
    source.addEventListener("end", ended);
    source.onerror = () => {
      tell({ state: "offline" });
      if (source?.readyState !== EventSource.CLOSED) return; // the browser connects again by itself
      timer = window.setTimeout(open, RECONNECT_MS);
    };
  };
  open();
  return () => {
    window.clearTimeout(timer);
    source?.close();
  };
}
