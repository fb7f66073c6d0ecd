"""The routes, one module a context."""

from tenuto.server.routes import (
    audit,
    care,
    claim,
    health,
    internal,
    keys,
    run_data,
    runs,
    task,
    task_data,
    tasks,
    wait,
)

MODULES = (
    audit,
    care,
    claim,
    health,
    internal,
    keys,
    run_data,
    runs,
    task,
    task_data,
    tasks,
    wait,
)
TABLES = [module.ROUTES for module in MODULES]
