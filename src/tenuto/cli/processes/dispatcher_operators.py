"""Runs jobs with `runtime: dispatcher` beside a dispatcher. A separate session, with its own lease, claims their
tasks."""

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING
from uuid import UUID

from tenuto.db.connection.errors import Unreachable
from tenuto.model.log_output import LogOutput

if TYPE_CHECKING:
    from tenuto.cli.processes.serve import ProcessContext
    from tenuto.worker.settings import WorkerSettings

QUEUE = "tenuto.dispatcher"  # where _start_job_tasks.sql puts the tasks of these jobs
LOOK_EVERY_SECONDS = 2.0
CONCURRENCY = 8
GRACE_SECONDS = 5.0


async def wait_for_tasks(context: "ProcessContext", stop: asyncio.Event) -> bool:
    """Wait until a job with `runtime: dispatcher` has a task that no session claims, and return True. Return False if
    `stop` is set first. Most dispatchers never find such a task, so the process for these tasks is started only when
    it is needed."""
    from tenuto.db import runs
    from tenuto.db.connection.pool import open_pool

    async with open_pool(context.url, role=context.worker_role, size=1) as pool:
        while not stop.is_set():
            with suppress(Unreachable):  # the loops of the dispatcher report an outage
                if await pool.call(runs.find_dispatcher_task, org_id=UUID(context.org_id)) is not None:
                    return True
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), LOOK_EVERY_SECONDS)
    return False


def session_settings(context: "ProcessContext", name: str, log: LogOutput) -> "WorkerSettings":
    """Return the settings of the session. It runs only operators that run in dispatchers, and claims only from their
    queue."""
    from tenuto.worker.settings import WorkerSettings

    return WorkerSettings(
        targets=[],
        url=context.url,
        org_id=context.org_id,
        name=f"{name}-dispatcher",
        home=str(context.settings.home),
        storage=context.settings.storage,
        installation=context.settings.installation,
        role=context.worker_role,
        queues=[QUEUE],
        concurrency=CONCURRENCY,
        grace=GRACE_SECONDS,
        in_dispatcher=True,
        log=log,
    )
