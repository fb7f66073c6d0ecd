import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { rootRoute } from "../../rootRoute";

export const dagsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/dags",
  component: lazyRouteComponent(() => import("./DagsPage"), "DagsPage"),
});

export const newDagRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/new-dag",
  component: lazyRouteComponent(() => import("./NewDagPage"), "NewDagPage"),
});
