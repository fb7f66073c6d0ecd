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
];
