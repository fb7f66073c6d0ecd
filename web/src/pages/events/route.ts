import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { rootRoute } from "../../rootRoute";
import { one, type Search } from "../search";

export interface EventsSearch {
  dataset?: string;
  /** The id of the event whose reactions are shown. */
  event?: string;
}

export const eventsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/events",
  validateSearch: (search: Search): EventsSearch => ({ dataset: one(search, "dataset"), event: one(search, "event") }),
  component: lazyRouteComponent(() => import("./EventsPage"), "EventsPage"),
});
