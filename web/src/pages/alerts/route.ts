import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { rootRoute } from "../../rootRoute";
import { oneOf, type Search } from "../search";

export const ALERT_STATUSES = ["firing", "acknowledged", "resolved"] as const;
export type AlertStatusName = (typeof ALERT_STATUSES)[number];

export const alertsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/alerts",
  validateSearch: (search: Search): { status?: AlertStatusName } => ({
    status: oneOf(search, "status", ALERT_STATUSES),
  }),
  component: lazyRouteComponent(() => import("./AlertsPage"), "AlertsPage"),
});
