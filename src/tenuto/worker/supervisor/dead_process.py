"""Gives back the attempts of a child process that has died. Attempts that had begun are reported as lost, unless the
supervisor killed the process."""

import asyncio
import logging
from uuid import UUID

from tenuto.db.connection.errors import RowRejected, Unreachable
from tenuto.model.tasks import Fences
from tenuto.model.text import one_line
from tenuto.model.workers import Session
from tenuto.worker.backends.base import REJECTED, Backend, give_everything_back

log = logging.getLogger("tenuto.worker")

RELEASE_TIMEOUT_SECONDS = 5.0


async def return_attempts(
    backend: Backend, session: Session, begun: list[tuple[str, int]], code: int, *, killed: bool
) -> None:
    """Report the attempts that had begun as lost, and give back those that were only claimed. `killed`: the supervisor
    killed the process, so give back all attempts; none counts as lost."""
    fences = Fences(session, [UUID(task_id) for task_id, _ in begun], [no for _, no in begun])
    error = {"type": "ProcessDied", "message": f"the process that ran it {how_it_ended(code)}"}
    try:
        async with asyncio.timeout(RELEASE_TIMEOUT_SECONDS):
            if begun and not killed:
                await _lose(backend, fences, error)
            elif begun:
                log.info("%d running tasks of the process are given back", len(begun))
            await give_everything_back(backend, session)
    except (Unreachable, *REJECTED, TimeoutError) as problem:
        log.warning(
            "the tasks of the dead process could not be given back (%s); they are retried when the lease expires",
            problem,
        )


async def _lose(backend: Backend, fences: Fences, error: dict[str, str]) -> None:
    for task_id in fences.task_ids:
        log.error("task %s was lost: %s", task_id, error["message"])
    try:
        await backend.lose_tasks(fences, [error] * len(fences.task_ids))
    except RowRejected:  # one of them cannot be stored; report the others
        for task_id, attempt in zip(fences.task_ids, fences.attempts, strict=True):
            try:
                await backend.lose_tasks(Fences(fences.session, [task_id], [attempt]), [error])
            except RowRejected as problem:
                log.error("the database rejects the outcome of task %s: %s", task_id, one_line(str(problem)))


def how_it_ended(code: int) -> str:
    return f"exited with code {code}" if code >= 0 else f"was killed by signal {-code}"
