"""The routes, one module a context."""

from importlib import import_module

from tenuto.server.routing import Routes

MODULES = (
    "audit",
    "bundles",
    "care",
    "changes",
    "claim",
    "health",
    "internal",
    "keys",
    "login",
    "objects",
    "orgs",
    "outbox",
    "roles",
    "run_data",
    "runs",
    "schedules",
    "task",
    "task_data",
    "task_objects",
    "tasks",
    "users",
    "wait",
    "worker_bundles",
    "worker_keys",
    "worker_schedules",
)
TABLES: list[Routes] = [import_module(f"{__name__}.{name}").ROUTES for name in MODULES]
