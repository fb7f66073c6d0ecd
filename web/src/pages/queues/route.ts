import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { rootRoute } from "../../rootRoute";

export const queuesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/queues",
  component: lazyRouteComponent(() => import("./QueuesPage"), "QueuesPage"),
});
