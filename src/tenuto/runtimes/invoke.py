"""Runs the functions of attempts: decodes the arguments, calls the function and returns the outcome. Async functions
run on the event loop, plain functions in the calling thread (thread.py)."""

import asyncio
import os
import traceback as tracebacks
from collections import deque
from collections.abc import Callable, Coroutine
from contextvars import Context as Variables
from contextvars import copy_context
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from tenuto.model.errors import StaleLease
from tenuto.runtimes.base import Attempt, RuntimeHost
from tenuto.runtimes.outcomes import (
    Blocked,
    Completed,
    Dropped,
    Failed,
    Interrupted,
    Outcome,
    Snoozed,
    Waiting,
    describe,
)
from tenuto.sdk.context.attempt_api import ContextApi
from tenuto.sdk.context.context import Context
from tenuto.sdk.context.control import Fail, ReplayMismatch, Retry, Snooze, Suspend
from tenuto.sdk.context.current_attempt import running
from tenuto.sdk.context.sync_context import SyncContext
from tenuto.sdk.retries import NEVER, policy_failed
from tenuto.sdk.tracing import span
from tenuto.sdk.values.wire_format import WrongValue

if TYPE_CHECKING:
    from tenuto.sdk.context.secrets import Secrets

JOB_TYPES = "tenuto."  # the prefix of the types of jobs' tasks; only triggers of jobs start them
OURS = f"{Path(__file__).parents[1]}{os.sep}"

OpenApi = Callable[[Attempt], ContextApi]


class TaskHandle:
    """An asyncio task that runs the attempt. Once the asyncio task has `begun`, it calls `ended` itself."""

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
        if not self.begun:  # its code never runs, so it cannot call `ended`
            self.task.add_done_callback(lambda _: self._ended(self._attempt, self._attempt.stop or Interrupted()))

    def kill(self) -> bool:
        return False

    @property
    def is_past_begin(self) -> bool:
        """Whether the asyncio task has begun, or was cancelled before it could begin."""
        return self.begun or (self.task is not None and self.task.done())


class CoroutineRuntime:
    """Runs async functions on the event loop. One asyncio task runs several attempts in a row, because creating an
    asyncio task costs more than a few short attempts. The asyncio task ends after an attempt that was cancelled or
    changed a context variable, so that no other attempt is affected."""

    def __init__(self, host: RuntimeHost) -> None:
        self._loop, self._open_api, self._began = host.loop, host.open_api, host.began
        self._ended, self._next_attempt = host.ended, host.next_attempt
        self._unbegun: deque[TaskHandle] = deque()

    def submit(self, attempt: Attempt) -> TaskHandle:
        self._began(attempt)
        handle = TaskHandle(attempt, self._ended)
        self._unbegun.append(handle)
        return handle.start(self._loop, self._run(attempt, handle))

    async def _run(self, first: Attempt, handle: TaskHandle) -> None:
        handle.begun = True
        while self._unbegun and self._unbegun[0].is_past_begin:  # one that was cancelled first never begins
            self._unbegun.popleft()
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
            # Attempts begin in the order of their claim: those that were submitted before begin first.
            attempt = None if self._unbegun else self._next_attempt(began, handle)


def _changed(before: Variables) -> bool:
    """Whether user code changed a context variable and did not reset it."""
    after = copy_context()
    if len(after) != len(before):
        return True
    return len(after) > 1 and any(after[var] is not value for var, value in before.items() if var is not running)


async def invoke_async(attempt: Attempt, open_api: OpenApi) -> Outcome:
    """Run an async function. `open_api` is called if the function takes `ctx`."""
    task = attempt.task
    context = None
    try:
        arguments, named = task.signature.decode(attempt.input, attempt.slots)
        attempt.slots = None  # may be large
        if task.run_takes_context:
            context = Context(attempt, open_api(attempt))
            if task.name.startswith(JOB_TYPES):
                context.secrets = await asyncio.to_thread(_secrets_of, attempt)
            if attempt.may_replay:
                await context.replay.load()
            arguments.insert(0, context)
        call = task.run(*arguments, **named)
        if attempt.metadata is None:
            result = await call
        else:
            with span(task.name, attempt.metadata, task_id=attempt.task_id, attempt=attempt.number):
                result = await call
        if context is not None:
            await context.flush()
        return Completed(task.result.encode(result), attempt.published)
    except BaseException as error:
        outcome = classify(attempt, (context and context.replay.mismatch) or error)
        if context is not None and not isinstance(outcome, Dropped):
            await context.settle()  # record steps in progress, or the next attempt would repeat their effect
            if isinstance(outcome, Waiting):
                return Waiting(context.earliest(outcome.wait))
        return outcome


def invoke_sync(attempt: Attempt, open_api: OpenApi, loop: asyncio.AbstractEventLoop) -> Outcome:
    """Run a plain function in the calling thread. The calls of its `ctx` go through the event loop, which runs in
    another thread."""
    task = attempt.task
    context = None
    try:
        arguments, named = task.signature.decode(attempt.input, attempt.slots)
        attempt.slots = None  # may be large
        context = SyncContext(attempt, open_api(attempt), loop=loop) if task.run_takes_context else None
        if context is not None:
            if task.name.startswith(JOB_TYPES):
                context.secrets = _secrets_of(attempt)
            if attempt.may_replay:
                context.load()
            arguments.insert(0, context)
        with span(task.name, attempt.metadata, task_id=attempt.task_id, attempt=attempt.number):
            result = task.run(*arguments, **named)
        if context is not None:
            context.flush()
        return Completed(task.result.encode(result), attempt.published)
    except BaseException as error:
        return classify(attempt, (context and context.mismatch) or error)


def _secrets_of(attempt: Attempt) -> "Secrets":
    """Read the secrets that the job of a task lists. The import is here, because most workers run no jobs."""
    from tenuto.sdk.context.secrets import listed_secrets, read_secrets

    return read_secrets(listed_secrets(attempt.input))


def classify(attempt: Attempt, error: BaseException) -> Outcome:
    """Return the outcome of an attempt whose function raised an error. Never raises an error, because then the slot
    would stay taken."""
    try:
        outcome = _classify(attempt, _unwrap_wait(error))
        if isinstance(outcome, Failed) and outcome is not attempt.stop and attempt.task.hooks.failure:
            return replace(outcome, exception=error)
        return outcome
    except BaseException:  # an error object is user code, and may raise CancelledError
        return Failed(describe(error))


def _unwrap_wait(error: BaseException) -> BaseException:
    """Return the Suspend or Snooze that an exception group contains, otherwise the error itself. A TaskGroup raises
    them in a group with other errors."""
    if isinstance(error, Suspend | Snooze):
        return error
    for inner in _inner(error):
        if isinstance(wait := _unwrap_wait(inner), Suspend | Snooze):
            return wait
    return error


def _inner(error: BaseException) -> tuple[BaseException, ...]:
    return cast(BaseExceptionGroup[BaseException], error).exceptions if isinstance(error, BaseExceptionGroup) else ()


def _classify(attempt: Attempt, error: BaseException) -> Outcome:
    match error:
        case ReplayMismatch():
            return Blocked({"step_no": error.step_no, "expected": error.expected, "found": error.found})
        case Suspend():
            return Waiting(error.wait)
        case Snooze():
            return Snoozed(error.delay)
        case _ if attempt.stop is not None:
            return attempt.stop
        case StaleLease():
            return Dropped()
        case Retry():
            return Failed(describe(error), error.after)
        case Fail():
            return Failed(describe(error), NEVER)
        case asyncio.CancelledError():
            return Failed(
                {"type": "CancelledError", "message": "the function raised CancelledError without being cancelled"}
            )
        case _:
            failure = describe(error, traceback=_trace(error))
            try:
                return Failed(failure, attempt.task.retry_after(error, attempt.failures + 1))
            except BaseException as mistake:  # a policy is user code, and may raise CancelledError
                return Failed(_add_policy_error(failure, mistake))


def _add_policy_error(failure: dict[str, Any], mistake: BaseException) -> dict[str, Any]:
    """Return the failure of an attempt with the error of its retry policy."""
    policy = describe(mistake)
    message = policy_failed(failure["message"], policy["type"], policy["message"])
    both = [failure.get("traceback"), "The retry policy then failed:\n", _trace(mistake)]
    return {**failure, "message": message, "traceback": "".join(filter(None, both))}


def _trace(error: BaseException) -> str | None:
    """Return the traceback, beginning with the first frame of user code, because Tenuto's frames do not help the user.
    Return None for an invalid input, whose traceback has only frames of Tenuto."""
    frames = tracebacks.extract_tb(error.__traceback__)
    own = next((no for no, frame in enumerate(frames) if not frame.filename.startswith(OURS)), None)
    if own is None and isinstance(error, WrongValue):
        return None
    return "".join([*tracebacks.format_list(frames[own or 0 :]), *tracebacks.format_exception_only(error)])
