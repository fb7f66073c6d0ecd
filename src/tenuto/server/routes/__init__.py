"""The routes, one module a context."""

from tenuto.server.routes import audit, care, claim, health, internal, keys, run_data, runs, tasks, wait

TABLES = [
    health.ROUTES, runs.ROUTES, run_data.ROUTES, tasks.ROUTES, keys.ROUTES, care.ROUTES, audit.ROUTES,
    internal.ROUTES, claim.ROUTES, wait.ROUTES,
]  # fmt: skip
