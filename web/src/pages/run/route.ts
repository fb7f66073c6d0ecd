import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { rootRoute } from "../../rootRoute";
import { oneOf, type Search } from "../search";

export const RUN_TABS = ["graph", "timeline", "tasks", "children", "data", "logs"] as const;
export type RunTab = (typeof RUN_TABS)[number];

export const runRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/runs/$runId",
  validateSearch: (search: Search): { tab?: RunTab } => ({ tab: oneOf(search, "tab", RUN_TABS) }),
  component: lazyRouteComponent(() => import("./RunPage"), "RunPage"),
});
