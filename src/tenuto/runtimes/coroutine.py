"""Runs async functions on the event loop. One asyncio task runs several attempts in a row, because creating an asyncio
task costs more than a few short attempts."""

import asyncio
from collections.abc import Callable, Coroutine
from contextvars import Context as Variables
from contextvars import copy_context
from typing import Any

from tenuto.runtimes.base import Attempt, RuntimeHost
from tenuto.runtimes.invoke import invoke_async
from tenuto.runtimes.outcomes import Interrupted, Outcome
from tenuto.sdk.context.current_attempt import running


class TaskHandle:
    """An asyncio task that runs the attempt. Once the task has `begun`, it calls `ended` itself."""

    __slots__ = ("_attempt", "_ended", "begun", "task")

    def __init__(self, attempt: Attempt, ended: Callable[[Attempt, Outcome], None]) -> None:
        self._attempt, self._ended, self.begun = attempt, ended, False
        self.task: asyncio.Task[None] | None = None

    def start(self, loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, None]) -> "TaskHandle":
        self.task = loop.create_task(work)
        return self

    def ask_to_stop(self) -> None:
        if self.task is None:
            return
        self.task.cancel()
        if not self.begun:  # then nothing of it runs any more
            self.task.add_done_callback(lambda _: self._ended(self._attempt, self._attempt.stop or Interrupted()))

    def kill(self) -> bool:
        return False


class CoroutineRuntime:
    """Runs async functions. The asyncio task ends after an attempt that changed its state, so that no other attempt is
    affected."""

    def __init__(self, host: RuntimeHost) -> None:
        self._loop, self._open_api, self._began = host.loop, host.open_api, host.began
        self._ended, self._next_attempt = host.ended, host.next_attempt

    def submit(self, attempt: Attempt) -> TaskHandle:
        self._began(attempt)
        handle = TaskHandle(attempt, self._ended)
        return handle.start(self._loop, self._run(attempt, handle))

    async def _run(self, first: Attempt, handle: TaskHandle) -> None:
        handle.begun = True
        task: Any = handle.task
        began = first.started
        running.set(first)
        variables = copy_context()
        attempt: Attempt | None = first
        while attempt is not None:
            running.set(attempt)
            try:
                outcome = await invoke_async(attempt, self._open_api)
            except BaseException:  # cancelled again, while it recorded its steps
                self._ended(attempt, attempt.stop or Interrupted())
                raise
            self._ended(attempt, outcome)
            if attempt.cancelled or task.cancelling() or _changed(variables):
                return
            attempt = self._next_attempt(began, handle)


def _changed(before: Variables) -> bool:
    """Whether user code changed a context variable and did not reset it."""
    after = copy_context()
    if len(after) != len(before):
        return True
    return len(after) > 1 and any(after[var] is not value for var, value in before.items() if var is not running)
