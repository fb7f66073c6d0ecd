import { createRouter } from "@tanstack/react-router";

import { adminRoute } from "./pages/admin/route";
import { alertsRoute } from "./pages/alerts/route";
import { backfillRoute, backfillsRoute } from "./pages/backfills/route";
import { dagRoute } from "./pages/dag/route";
import { dagsRoute, newDagRoute } from "./pages/dags/route";
import { datasetRoute } from "./pages/dataset/route";
import { datasetsRoute } from "./pages/datasets/route";
import { eventsRoute } from "./pages/events/route";
import { outboxRoute } from "./pages/outbox/route";
import { overviewRoute } from "./pages/overview/route";
import { queryRoute } from "./pages/query/route";
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
    alertsRoute,
    backfillRoute,
    backfillsRoute,
    dagRoute,
    dagsRoute,
    datasetRoute,
    datasetsRoute,
    eventsRoute,
    newDagRoute,
    outboxRoute,
    overviewRoute,
    queryRoute,
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
