import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { rootRoute } from "../../rootRoute";
import { one, oneOf, type Search } from "../search";

export const ADMIN_TABS = ["users", "keys", "audit"] as const;
export type AdminTab = (typeof ADMIN_TABS)[number];

export interface AdminSearch {
  tab?: AdminTab;
  entity?: string;
  action?: string;
}

export const adminRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/admin",
  validateSearch: (search: Search): AdminSearch => ({
    tab: oneOf(search, "tab", ADMIN_TABS),
    entity: one(search, "entity"),
    action: one(search, "action"),
  }),
  component: lazyRouteComponent(() => import("./AdminPage"), "AdminPage"),
});
