"""The routes, one module per resource."""

from importlib import import_module

from tenuto.server.http.route_table import RouteTable

MODULES = (
    "audit",
    "bundles",
    "changes",
    "groups",
    "health",
    "keys",
    "login",
    "objects",
    "orgs",
    "outbox",
    "queues",
    "roles",
    "run_data",
    "runs",
    "schedules",
    "status",
    "task_api.attempt",
    "task_api.data",
    "task_api.objects",
    "tasks",
    "users",
    "worker_api.bundles",
    "worker_api.claim",
    "worker_api.schedules",
    "worker_api.sessions",
    "worker_api.wait",
    "worker_keys",
    "workers",
)
TABLES: list[RouteTable] = [import_module(f"{__name__}.{name}").ROUTES for name in MODULES]
