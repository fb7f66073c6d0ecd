"""Runs the function of an attempt: decodes its arguments, calls it and returns the outcome."""

import asyncio
import os
import traceback as tracebacks
from collections.abc import Callable
from pathlib import Path

from tenuto.model.errors import StaleLease
from tenuto.runtimes.base import Attempt
from tenuto.runtimes.outcomes import NEVER, Completed, Dropped, Failed, Outcome, Snoozed, Waiting, describe
from tenuto.sdk.context.attempt_api import AttemptApi
from tenuto.sdk.context.context import Context
from tenuto.sdk.context.control import Fail, Retry, Snooze, Suspend
from tenuto.sdk.context.sync_context import SyncContext
from tenuto.sdk.tracing import span
from tenuto.sdk.values.codecs import WrongValue

OURS = f"{Path(__file__).parents[1]}{os.sep}"

OpenApi = Callable[[Attempt], AttemptApi]


async def invoke_async(attempt: Attempt, open_api: OpenApi) -> Outcome:
    """Run an async function. `open_api` is called if the function takes `ctx`."""
    task = attempt.task
    context = None
    try:
        arguments, named = task.decode_args(attempt.input, attempt.slots)
        attempt.slots = None  # may be large
        if task.context:
            context = Context(attempt, open_api(attempt))
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


def invoke_sync(attempt: Attempt, open_api: OpenApi, loop: asyncio.AbstractEventLoop) -> Outcome:
    """Run a plain function in the calling thread. The calls of its `ctx` go through the event loop of another."""
    task = attempt.task
    try:
        arguments, named = task.decode_args(attempt.input, attempt.slots)
        attempt.slots = None  # may be large
        context = SyncContext(attempt, open_api(attempt), loop=loop) if task.context else None
        if context is not None:
            arguments.insert(0, context)
        with span(task.name, attempt.metadata, task_id=attempt.task_id, attempt=attempt.no):
            result = task.function(*arguments, **named)
        if context is not None:
            context.flush()
        return Completed(task.encode_result(result))
    except BaseException as error:
        return classify(attempt, error)


def classify(attempt: Attempt, error: BaseException) -> Outcome:
    """Return the outcome of an attempt whose function raised. Never raises, because the slot would never be freed."""
    try:
        return _classify(attempt, _unwrap_wait(error))
    except BaseException as mistake:  # user code may raise CancelledError here
        message = f"{type(error).__name__}, and then its retry policy raised {describe(mistake)['message']}"
        return Failed({"type": type(error).__name__, "message": message})


def _unwrap_wait(error: BaseException) -> BaseException:
    """Return the wait inside an exception group: a TaskGroup raises it together with other errors."""
    if isinstance(error, BaseExceptionGroup) and (waits := error.subgroup((Suspend, Snooze))):
        while isinstance(waits, BaseExceptionGroup):
            waits = waits.exceptions[0]
        return waits
    return error


def _classify(attempt: Attempt, error: BaseException) -> Outcome:
    match error:
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
            retry = attempt.task.retry_after(error, attempt.failures + 1)
            return Failed(describe(error, traceback=_trace(error)), retry)


def _trace(error: BaseException) -> str | None:
    """Return the traceback from user code on. Our own frames do not help the user, and an invalid input has no
    others."""
    frames = tracebacks.extract_tb(error.__traceback__)
    own = next((no for no, frame in enumerate(frames) if not frame.filename.startswith(OURS)), None)
    if own is None and isinstance(error, WrongValue):
        return None
    return "".join([*tracebacks.format_list(frames[own or 0 :]), *tracebacks.format_exception_only(error)])
