"""A run's id where a task's is wanted: only a run of one task has that task's id."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING
from uuid import UUID

from tenuto.cli.session import CommandContext

if TYPE_CHECKING:
    from tenuto.model.monitoring import RunStatus


async def find_run(desk: CommandContext, id: UUID) -> "RunStatus | None":
    from tenuto.db import monitoring
    from tenuto.model.errors import NotFound

    try:
        return await desk.pool.call(monitoring.get_run, org_id=desk.org_id, run_id=id)
    except NotFound:
        return None


@asynccontextmanager
async def of_a_task(desk: CommandContext, id: UUID) -> AsyncIterator[None]:
    """Where no task is found, says so when it is a run, and which command shows its tasks."""
    from tenuto.model.errors import NotFound

    try:
        yield
    except NotFound:
        run = await find_run(desk, id)
        if run is None:
            raise
        what = f"{id} is a run of {run.total_tasks} tasks, not a task"
        raise NotFound(what, f"`tenuto tasks list --run {id}` shows its tasks") from None
