"""Handles the id of a run where a task id is expected: only a single-task run shares the id of its task."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING
from uuid import UUID

from tenuto.model.errors import NotFound

if TYPE_CHECKING:
    from tenuto.sdk.operations.base import Operations


@asynccontextmanager
async def of_a_task(tenuto: "Operations", id: UUID) -> AsyncGenerator[None]:
    """Improve NotFound: if the id belongs to a run, say so and name the command that lists its tasks."""
    try:
        yield
    except NotFound as missing:
        try:
            run = await tenuto.get_run(id)
        except NotFound:
            raise missing from None
        what = f"{id} is a run of {run.total_tasks} tasks, not a task"
        raise NotFound(what, f"`tenuto tasks list --run {id}` shows its tasks") from None
