/** The entries of the navigation. An entry is shown to users who have its permission. */
export interface NavigationEntry {
  to: string;
  name: string;
  permission: string;
  group: "Work" | "Data" | "Operate" | "Admin";
  /** The second key of `g` and a letter, which opens the page. */
  key?: string;
}

export const NAVIGATION: NavigationEntry[] = [
  { to: "/", name: "Overview", permission: "status:read", group: "Work", key: "o" },
  { to: "/runs", name: "Runs", permission: "runs:read", group: "Work", key: "r" },
  { to: "/tasks", name: "Tasks", permission: "tasks:read", group: "Work", key: "t" },
  { to: "/schedules", name: "Schedules", permission: "schedules:read", group: "Work", key: "s" },
  { to: "/dags", name: "DAGs", permission: "dags:read", group: "Data", key: "d" },
  { to: "/datasets", name: "Datasets", permission: "datasets:read", group: "Data", key: "n" },
  { to: "/events", name: "Events", permission: "events:read", group: "Data", key: "e" },
  { to: "/backfills", name: "Backfills", permission: "backfills:read", group: "Data", key: "b" },
  { to: "/query", name: "Query", permission: "query:read", group: "Data", key: "y" },
  { to: "/queues", name: "Queues", permission: "queues:read", group: "Operate", key: "q" },
  { to: "/workers", name: "Workers", permission: "workers:read", group: "Operate", key: "w" },
  { to: "/outbox", name: "Outbox", permission: "outbox:read", group: "Operate", key: "x" },
  { to: "/alerts", name: "Alerts", permission: "alerts:read", group: "Operate", key: "l" },
  { to: "/admin", name: "Admin", permission: "users:read", group: "Admin", key: "a" },
];
