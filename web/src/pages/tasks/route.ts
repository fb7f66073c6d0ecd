import { createRoute, lazyRouteComponent } from "@tanstack/react-router";

import { rootRoute } from "../../rootRoute";
import { one, several, type Search } from "../search";

export const TASK_STATUSES = [
  "pending", "queued", "running", "waiting", "retrying", "completed", "failed", "cancelled", "skipped",
] as const;
export type TaskStatusName = (typeof TASK_STATUSES)[number];

export interface TasksSearch {
  status?: TaskStatusName[];
  type?: string;
  queue?: string;
  job?: string;
  since?: string;
}

export const tasksRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/tasks",
  validateSearch: (search: Search): TasksSearch => ({
    status: several(search, "status", TASK_STATUSES),
    type: one(search, "type"),
    queue: one(search, "queue"),
    job: one(search, "job"),
    since: one(search, "since"),
  }),
  component: lazyRouteComponent(() => import("./TasksPage"), "TasksPage"),
});
