"""The routes, one module a context."""

from tenuto.server.routes import audit, care, health, keys, run_data, runs, tasks

TABLES = [health.ROUTES, runs.ROUTES, run_data.ROUTES, tasks.ROUTES, keys.ROUTES, care.ROUTES, audit.ROUTES]
