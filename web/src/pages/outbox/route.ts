import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { rootRoute } from "../../rootRoute";
import { one, oneOf, type Search } from "../search";

export const EFFECT_STATUSES = ["pending", "processing", "done", "dead"] as const;
export type EffectStatusName = (typeof EFFECT_STATUSES)[number];

export interface OutboxSearch {
  status?: EffectStatusName;
  kind?: string;
  /** The id of the side effect that is shown in full. */
  effect?: string;
}

export const outboxRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/outbox",
  validateSearch: (search: Search): OutboxSearch => ({
    status: oneOf(search, "status", EFFECT_STATUSES),
    kind: one(search, "kind"),
    effect: one(search, "effect"),
  }),
  component: lazyRouteComponent(() => import("./OutboxPage"), "OutboxPage"),
});
