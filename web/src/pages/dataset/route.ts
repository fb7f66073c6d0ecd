import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { rootRoute } from "../../rootRoute";
import { one, oneOf, type Search } from "../search";

export const DATASET_TABS = ["partitions", "versions", "schema", "lineage", "readers", "preview"] as const;
export type DatasetTab = (typeof DATASET_TABS)[number];
export const DIRECTIONS = ["both", "up", "down"] as const;

export interface DatasetSearch {
  tab?: DatasetTab;
  /** The id of the version that is shown, instead of the current one. */
  version?: string;
  column?: string;
  direction?: (typeof DIRECTIONS)[number];
}

export const datasetRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/datasets/$name",
  validateSearch: (search: Search): DatasetSearch => ({
    tab: oneOf(search, "tab", DATASET_TABS),
    version: one(search, "version"),
    column: one(search, "column"),
    direction: oneOf(search, "direction", DIRECTIONS),
  }),
  component: lazyRouteComponent(() => import("./DatasetPage"), "DatasetPage"),
});
