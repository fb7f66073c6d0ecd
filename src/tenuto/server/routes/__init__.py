"""The routes, one module a context."""

from tenuto.server.routes import (
    audit,
    care,
    claim,
    health,
    internal,
    keys,
    login,
    objects,
    outbox,
    run_data,
    runs,
    schedules,
    task,
    task_data,
    task_objects,
    tasks,
    wait,
    worker_schedules,
)

MODULES = (
    audit,
    care,
    claim,
    health,
    internal,
    keys,
    login,
    objects,
    outbox,
    run_data,
    runs,
    schedules,
    task,
    task_data,
    task_objects,
    tasks,
    wait,
    worker_schedules,
)
TABLES = [module.ROUTES for module in MODULES]
