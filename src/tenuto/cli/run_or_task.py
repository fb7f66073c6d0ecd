"""Handles the id of a run where a task id is expected: only a single-task run shares the id of its task."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING
from uuid import UUID

from tenuto.cli.session import CommandContext

if TYPE_CHECKING:
    from tenuto.model.monitoring import RunStatus


async def find_run(context: CommandContext, id: UUID) -> "RunStatus | None":
    from tenuto.db import monitoring
    from tenuto.model.errors import NotFound

    try:
        return await context.pool.call(monitoring.get_run, org_id=context.org_id, run_id=id)
    except NotFound:
        return None


@asynccontextmanager
async def of_a_task(context: CommandContext, id: UUID) -> AsyncGenerator[None]:
    """Improve NotFound: if the id belongs to a run, say so and name the command that lists its tasks."""
    from tenuto.model.errors import NotFound

    try:
        yield
    except NotFound:
        run = await find_run(context, id)
        if run is None:
            raise
        what = f"{id} is a run of {run.total_tasks} tasks, not a task"
        raise NotFound(what, f"`tenuto tasks list --run {id}` shows its tasks") from None
