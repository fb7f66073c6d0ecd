"""Runs plain (synchronous) functions in threads."""

import asyncio
from collections.abc import Callable

from tenuto.runtimes import thread
from tenuto.runtimes.outcomes import Completed, Outcome, classify
from tenuto.sdk.context.current_attempt import running
from tenuto.sdk.context.sync_context import SyncContext
from tenuto.sdk.tracing import span
from tenuto.worker.backends.ports import AttemptApis
from tenuto.worker.execution.attempt import Attempt


class PlainFunctions:
    """Runs functions that are not async. One that does not stop is abandoned together with its thread."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, ports: AttemptApis, *, done: Callable[[Attempt, Outcome], None]
    ) -> None:
        self._loop, self._ports = loop, ports
        self._threads = thread.ThreadRuntime(loop, done)

    def submit(self, attempt: Attempt) -> thread.ThreadHandle:
        return self._threads.submit(attempt, lambda: self._outcome(attempt))

    def leave(self, job: thread.ThreadHandle) -> None:
        self._threads.leave(job)

    def _outcome(self, attempt: Attempt) -> Outcome:
        """Run the attempt; called in its thread."""
        task = attempt.task
        context = None
        try:
            running.set(attempt)
            arguments, named = task.decode_args(attempt.input, attempt.slots)
            attempt.slots = None  # may be large
            if task.context:
                context = SyncContext(attempt, self._ports.open(attempt), loop=self._loop)
                arguments.insert(0, context)
            with span(task.name, attempt.metadata, task_id=attempt.task_id, attempt=attempt.no):
                result = task.function(*arguments, **named)
            if context is not None:
                context.flush()
            return Completed(task.encode_result(result))
        except BaseException as error:
            return classify(attempt, error)
