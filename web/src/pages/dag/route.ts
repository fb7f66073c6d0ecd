import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { rootRoute } from "../../rootRoute";
import { one, oneOf, type Search } from "../search";

export const DAG_TABS = ["graph", "jobs", "versions", "history", "yaml"] as const;
export type DagTab = (typeof DAG_TABS)[number];

export interface DagSearch {
  tab?: DagTab;
  /** The versions to compare, such as `1-2`. */
  compare?: string;
}

export const dagRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/dags/$name",
  validateSearch: (search: Search): DagSearch => ({
    tab: oneOf(search, "tab", DAG_TABS),
    compare: one(search, "compare"),
  }),
  component: lazyRouteComponent(() => import("./DagPage"), "DagPage"),
});
