import { createRouter } from "@tanstack/react-router";

import { overviewRoute } from "./pages/overview/route";
import { runRoute } from "./pages/run/route";
import { runsRoute } from "./pages/runs/route";
import { rootRoute } from "./rootRoute";
import { CrashedPage } from "./shell/CrashedPage";
import { Loading } from "./ui/States";

export const router = createRouter({
  routeTree: rootRoute.addChildren([overviewRoute, runsRoute, runRoute]),
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
