"""What an attempt's end means: the one place that turns what user code did into an outcome."""

import asyncio
import os
import traceback
from pathlib import Path
from typing import Any, Protocol

from tenuto.model.errors import StaleLease
from tenuto.runtimes.outcomes import Dropped, Failed, Outcome, Snoozed, Waiting, describe
from tenuto.sdk.context.control import Fail, Retry, Snooze, Suspend
from tenuto.sdk.task import Task
from tenuto.sdk.values.codecs import WrongValue

NEVER = -1.0
OURS = f"{Path(__file__).parents[1]}{os.sep}"


class Judged(Protocol):
    """What a judgement needs to know of an attempt."""

    failures: int  # before this attempt
    task: Task[..., Any]
    stop: Outcome | None


def judge(attempt: Judged, error: BaseException) -> Outcome:
    """The outcome of an attempt whose function raised. Never raises itself: its slot would be gone for ever."""
    try:
        return _judge(attempt, _meant(error))
    except Exception as mistake:
        message = f"{type(error).__name__}, and then its retry policy raised {describe(mistake)['message']}"
        return Failed({"type": type(error).__name__, "message": message})


def _meant(error: BaseException) -> BaseException:
    """What a group of errors means: in a TaskGroup a wait comes as one of several."""
    if isinstance(error, BaseExceptionGroup) and (waits := error.subgroup((Suspend, Snooze))):
        while isinstance(waits, BaseExceptionGroup):
            waits = waits.exceptions[0]
        return waits
    return error


def _judge(attempt: Judged, error: BaseException) -> Outcome:
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
            return Failed({"type": "CancelledError", "message": "the function cancelled itself"})
        case _:
            retry = attempt.task.retry_after(error, attempt.failures + 1)
            return Failed(describe(error, traceback=_trace(error)), retry)


def _trace(error: BaseException) -> str | None:
    """The traceback from user code on: our frames tell the user nothing, and a wrong input has no others."""
    frames = traceback.extract_tb(error.__traceback__)
    own = next((no for no, frame in enumerate(frames) if not frame.filename.startswith(OURS)), None)
    if own is None and isinstance(error, WrongValue):
        return None
    return "".join([*traceback.format_list(frames[own or 0 :]), *traceback.format_exception_only(error)])
