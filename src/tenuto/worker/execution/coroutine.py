"""Runs async functions on the event loop. One asyncio task runs several attempts in a row, because creating an asyncio
task costs more than a few short attempts."""

import asyncio
from collections.abc import Callable
from contextvars import Context as Variables
from contextvars import copy_context
from typing import Any

from tenuto.runtimes.outcomes import Completed, Dropped, Outcome, classify
from tenuto.sdk.context.context import Context
from tenuto.sdk.context.current_attempt import running
from tenuto.sdk.tracing import span
from tenuto.worker.backends.ports import AttemptApis
from tenuto.worker.execution.attempt import Attempt

# Return the next attempt, or None if this turn, which began at the given time, is over.
Take = Callable[[float], Attempt | None]
Done = Callable[[Attempt, Outcome], None]


class CoroutineRuntime:
    """Runs async functions. The asyncio task ends after an attempt that changed its state, so that no other attempt is
    affected."""

    def __init__(self, loop: asyncio.AbstractEventLoop, ports: AttemptApis, *, take: Take, done: Done) -> None:
        self._loop, self._ports, self._take, self._done = loop, ports, take, done

    def submit(self, attempt: Attempt) -> asyncio.Task[None]:
        return self._loop.create_task(self._run(attempt))

    async def _run(self, first: Attempt) -> None:
        job: Any = asyncio.current_task()
        began = first.started
        running.set(first)
        variables = copy_context()
        attempt: Attempt | None = first
        while attempt is not None:
            attempt.job = job
            running.set(attempt)
            self._done(attempt, await self._outcome(attempt))
            if attempt.cancelled or job.cancelling() or _changed(variables):
                return
            attempt = self._take(began)

    async def _outcome(self, attempt: Attempt) -> Outcome:
        task = attempt.task
        context = None
        try:
            arguments, named = task.decode_args(attempt.input, attempt.slots)
            attempt.slots = None  # may be large
            if task.context:
                context = Context(attempt, self._ports.open(attempt))
                arguments.insert(0, context)
            if attempt.metadata is None:
                result = await task.function(*arguments, **named)
            else:
                with span(task.name, attempt.metadata, task_id=attempt.task_id, attempt=attempt.no):
                    result = await task.function(*arguments, **named)
            if context is not None:
                await context.flush()
            return Completed(task.encode_result(result))
        except BaseException as error:
            outcome = classify(attempt, error)
            if context is not None and not isinstance(outcome, Dropped):
                await context.settle()  # record steps in progress, or the next attempt would repeat their effect
            return outcome


def _changed(before: Variables) -> bool:
    """Whether user code changed a context variable and did not reset it."""
    after = copy_context()
    if len(after) != len(before):
        return True
    return len(after) > 1 and any(after[var] is not value for var, value in before.items() if var is not running)
