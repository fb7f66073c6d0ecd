import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { rootRoute } from "../../rootRoute";
import { one, type Search } from "../search";

export interface QuerySearch {
  sql?: string;
  as_of?: string;
}

export const queryRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/query",
  validateSearch: (search: Search): QuerySearch => ({ sql: one(search, "sql"), as_of: one(search, "as_of") }),
  component: lazyRouteComponent(() => import("./QueryPage"), "QueryPage"),
});
