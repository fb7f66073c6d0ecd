import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { rootRoute } from "../../rootRoute";
import { one, oneOf, type Search } from "../search";

export const BACKFILL_STATUSES = ["running", "paused", "cancelling", "completed", "failed", "cancelled"] as const;

export interface BackfillsSearch {
  dataset?: string;
  status?: (typeof BACKFILL_STATUSES)[number];
}

export const backfillsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/backfills",
  validateSearch: (search: Search): BackfillsSearch => ({
    dataset: one(search, "dataset"),
    status: oneOf(search, "status", BACKFILL_STATUSES),
  }),
  component: lazyRouteComponent(() => import("./BackfillsPage"), "BackfillsPage"),
});

export const backfillRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/backfills/$backfillId",
  component: lazyRouteComponent(() => import("./BackfillPage"), "BackfillPage"),
});
