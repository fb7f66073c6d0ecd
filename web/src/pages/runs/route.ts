import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { rootRoute } from "../../rootRoute";
import { one, several, type Search } from "../search";

export const RUN_STATUSES = ["pending", "running", "retrying", "completed", "failed", "cancelled"] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

export interface RunsSearch {
  status?: RunStatus[];
  type?: string;
  name?: string;
  metadata?: string;
  since?: string;
}

export const runsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/runs",
  validateSearch: (search: Search): RunsSearch => ({
    status: several(search, "status", RUN_STATUSES),
    type: one(search, "type"),
    name: one(search, "name"),
    metadata: one(search, "metadata"),
    since: one(search, "since"),
  }),
  component: lazyRouteComponent(() => import("./RunsPage"), "RunsPage"),
});
