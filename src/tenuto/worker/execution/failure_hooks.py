"""Calls the failure hooks of the apps, one failure after the other. Reports of attempts do not wait for them."""

import asyncio
import inspect
import logging

from tenuto.model.tasks import ReportResult
from tenuto.runtimes.base import Attempt
from tenuto.runtimes.outcomes import CANCELLED, Failed, Lost
from tenuto.sdk.hooks import AttemptFailed, FailureHook, TaskFailure, name_of

log = logging.getLogger("tenuto.worker")

MAX_WAITING = 10_000  # failures; when so many wait, hooks are not called for further ones
HOOK_SECONDS = 30.0  # for one call; then the next hook is called


class FailureHooks:
    """Failures whose hooks are still to be called."""

    def __init__(self) -> None:
        self._waiting: asyncio.Queue[tuple[list[FailureHook], TaskFailure]] = asyncio.Queue(MAX_WAITING)

    def failed(self, attempt: Attempt, outcome: Failed | Lost, report: ReportResult) -> None:
        """Queue a failure; `run` passes it to the hooks. Cancelled attempts, and failures that the database did not
        accept, are not queued."""
        if outcome is CANCELLED or report.result != "accepted":
            return
        if self._waiting.full():
            log.error("failure hooks are too slow: they are not called for task %s", attempt.task_id)
            return
        self._waiting.put_nowait((attempt.task.hooks.failure, _describe(attempt, outcome, report)))

    async def run(self) -> None:
        while True:
            hooks, failure = await self._waiting.get()
            for hook in hooks:
                call = asyncio.create_task(_call(hook, failure))
                if not (await asyncio.wait({call}, timeout=HOOK_SECONDS))[0]:
                    log.error("the failure hook %s did not return within %g s", name_of(hook), HOOK_SECONDS)
                    call.cancel()
            self._waiting.task_done()

    async def flush(self) -> None:
        """Wait until the hooks have been called for all failures that were queued so far."""
        await self._waiting.join()


def _describe(attempt: Attempt, outcome: Failed | Lost, report: ReportResult) -> TaskFailure:
    error = outcome.exception if isinstance(outcome, Failed) else None
    if error is None:
        texts = [outcome.error.get(key) for key in ("type", "message", "traceback")]
        error = AttemptFailed(str(texts[0]), str(texts[1]), None if texts[2] is None else str(texts[2]))
    return TaskFailure(
        task_name=attempt.task.name,
        task_id=attempt.task_id,
        run_id=attempt.run_id,
        attempt=attempt.number,
        max_attempts=report.max_attempts,
        error=error,
        retry_in=report.retry_in_seconds,
    )


async def _call(hook: FailureHook, failure: TaskFailure) -> None:
    try:
        if inspect.iscoroutinefunction(hook):
            await hook(failure)
        else:
            await asyncio.to_thread(hook, failure)
    except BaseException:  # SystemExit too: a hook must not end the process
        log.exception("the failure hook %s failed for task %s", name_of(hook), failure.task_id)
