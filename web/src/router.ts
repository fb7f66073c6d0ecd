import { createRouter } from "@tanstack/react-router";

import { adminRoute } from "./pages/admin/route";
import { outboxRoute } from "./pages/outbox/route";
import { overviewRoute } from "./pages/overview/route";
import { queuesRoute } from "./pages/queues/route";
import { runRoute } from "./pages/run/route";
import { runsRoute } from "./pages/runs/route";
import { schedulesRoute } from "./pages/schedules/route";
import { taskRoute } from "./pages/task/route";
import { tasksRoute } from "./pages/tasks/route";
import { workerRoute, workersRoute } from "./pages/workers/route";
import { rootRoute } from "./rootRoute";
import { CrashedPage } from "./shell/CrashedPage";
import { Loading } from "./ui/States";

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    adminRoute,
    outboxRoute,
    overviewRoute,
    queuesRoute,
    runRoute,
    runsRoute,
    schedulesRoute,
    taskRoute,
    tasksRoute,
    workerRoute,
    workersRoute,
  ]),
  basepath: "/ui",
  defaultPreload: "intent",
  defaultPendingComponent: Loading,
  defaultErrorComponent: CrashedPage,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
