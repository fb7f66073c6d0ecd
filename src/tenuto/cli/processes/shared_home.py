"""Warns if workers of two folders serve the same task types with the user's database: a task may run the code of either
folder."""

import logging
from contextlib import suppress
from typing import TYPE_CHECKING
from uuid import UUID

from tenuto.cli.database import Settings

if TYPE_CHECKING:
    from tenuto.model.monitoring import WorkerStatus

log = logging.getLogger("tenuto.worker")

MAX_WORKERS = 200  # how many workers are compared


def is_shared(settings: Settings) -> bool:
    """Whether unrelated projects may use this database, because it is the embedded database of the user."""
    return settings.database_url is None and settings.project is None


async def warn_of_other_folders(url: str, role: str | None, org_id: UUID, name: str) -> None:
    """Log a warning if another active worker of this database serves a task type of this worker from another folder.
    `name` is the name of this worker."""
    from tenuto.db import monitoring
    from tenuto.db.connection.errors import DatabaseProblem
    from tenuto.db.connection.pool import open_pool

    with suppress(DatabaseProblem):  # the warning is only a hint, so no error is reported
        async with open_pool(url, role=role, size=1) as pool:
            workers = await pool.call(monitoring.list_workers, org_id=org_id, status="active", limit=MAX_WORKERS)
        own = next((worker for worker in workers if worker.id.startswith(f"{name}:")), None)
        for other in workers:
            if own and _folder(other) not in (None, _folder(own)) and (both := _types(own) & _types(other)):
                log.warning(
                    "worker %s in %s serves %s too, and tasks may run its code: add [tool.tenuto] to the "
                    "pyproject.toml of each project, so that it has its own database, or rename one app",
                    other.id, _folder(other), min(both),
                )  # fmt: skip
                return


def _folder(worker: "WorkerStatus") -> object:
    return worker.metadata.get("folder")


def _types(worker: "WorkerStatus") -> set[str]:
    """Return the task types of the worker's apps. Its operators are the same in every folder."""
    types = worker.metadata.get("types")
    names = map(str, types) if isinstance(types, list) else ()
    return {name for name in names if not name.startswith("tenuto.") or name.startswith("tenuto.python.")}
