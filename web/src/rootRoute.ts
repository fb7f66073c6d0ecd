import { createRootRoute } from "@tanstack/react-router";

import { NotFound } from "./shell/NotFound";
import { Shell } from "./shell/Shell";

export const rootRoute = createRootRoute({ component: Shell, notFoundComponent: NotFound });
