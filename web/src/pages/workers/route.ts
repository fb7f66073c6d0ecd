import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { rootRoute } from "../../rootRoute";
import { one, oneOf, type Search } from "../search";

export const WORKER_STATUSES = ["starting", "active", "draining", "error", "terminated"] as const;
export type WorkerStatusName = (typeof WORKER_STATUSES)[number];

export interface WorkersSearch {
  status?: WorkerStatusName;
  /** The pool whose decisions are shown. */
  pool?: string;
}

export const workersRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/workers",
  validateSearch: (search: Search): WorkersSearch => ({
    status: oneOf(search, "status", WORKER_STATUSES),
    pool: one(search, "pool"),
  }),
  component: lazyRouteComponent(() => import("./WorkersPage"), "WorkersPage"),
});

export const workerRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/workers/$name",
  component: lazyRouteComponent(() => import("./WorkerPage"), "WorkerPage"),
});
