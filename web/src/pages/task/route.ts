import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { rootRoute } from "../../rootRoute";
import { oneOf, type Search } from "../search";

export const TASK_TABS = ["attempts", "data", "steps", "children", "logs"] as const;
export type TaskTab = (typeof TASK_TABS)[number];

export const taskRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/tasks/$taskId",
  validateSearch: (search: Search): { tab?: TaskTab } => ({ tab: oneOf(search, "tab", TASK_TABS) }),
  component: lazyRouteComponent(() => import("./TaskPage"), "TaskPage"),
});
