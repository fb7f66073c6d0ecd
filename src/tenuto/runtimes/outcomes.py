"""The possible outcomes of an attempt, and their classification: the one place that converts errors of user code."""

import asyncio
import os
import traceback as tracebacks
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

from tenuto.model.errors import StaleLease
from tenuto.model.text import clean
from tenuto.sdk.context.control import Fail, Retry, Snooze, Suspend
from tenuto.sdk.task import Task
from tenuto.sdk.values.codecs import WrongValue

NEVER = -1.0
OURS = f"{Path(__file__).parents[1]}{os.sep}"


@dataclass(frozen=True, slots=True)
class Completed:
    """The function returned; `output` is JSON text."""

    output: str | None


@dataclass(frozen=True, slots=True)
class Failed:
    """The function raised. `retry`: None for the task's backoff, a number of seconds, or -1 for never."""

    error: dict[str, Any]
    retry: float | None = None


@dataclass(frozen=True, slots=True)
class Lost:
    """The process that ran the attempt died."""

    error: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Snoozed:
    """The task runs again later; does not count as an attempt."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Waiting:
    """The task waits for children, a signal or a time."""

    wait: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Interrupted:
    """The worker shuts down: the attempt is given back and does not count."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """The lease was lost: the outcome is not reported."""


Outcome = Completed | Failed | Lost | Snoozed | Waiting | Interrupted | Dropped


MAX_ERROR_CHARACTERS = 200_000


def describe(error: BaseException, *, traceback: str | None = None) -> dict[str, Any]:
    """Return the stored form of an error: type, message and traceback."""
    try:
        message = str(error) or repr(error)
    except Exception:  # __str__ is user code
        message = f"a {type(error).__name__} that cannot be shown"
    kept: dict[str, Any] = {"type": type(error).__name__, "message": clean(_head(message))}
    if traceback:
        kept["traceback"] = clean(_head(traceback))
    return kept


def _head(text: str) -> str:
    """Truncate a text: Postgres rejects texts over 256 MB, and every failure in the same batch with it."""
    if len(text) <= MAX_ERROR_CHARACTERS:
        return text
    return f"{text[:MAX_ERROR_CHARACTERS]}… ({len(text) - MAX_ERROR_CHARACTERS} more characters were cut)"


KINDS = {kind.__name__: kind for kind in (Completed, Failed, Lost, Snoozed, Waiting, Interrupted, Dropped)}


def to_json(outcome: Outcome) -> dict[str, Any]:
    """Return the JSON form that is sent between processes."""
    return {"kind": type(outcome).__name__, **asdict(outcome)}


def from_json(value: dict[str, Any]) -> Outcome:
    kind = KINDS[value.pop("kind")]
    return kind(**value)


class ClassifiedAttempt(Protocol):
    """The properties of an attempt that are needed to classify its end."""

    failures: int  # before this attempt
    task: Task[..., Any]
    stop: Outcome | None


def classify(attempt: ClassifiedAttempt, error: BaseException) -> Outcome:
    """Return the outcome of an attempt whose function raised. Never raises, because the slot would never be freed."""
    try:
        return _classify(attempt, _unwrap_wait(error))
    except Exception as mistake:
        message = f"{type(error).__name__}, and then its retry policy raised {describe(mistake)['message']}"
        return Failed({"type": type(error).__name__, "message": message})


def _unwrap_wait(error: BaseException) -> BaseException:
    """Return the wait inside an exception group: a TaskGroup raises it together with other errors."""
    if isinstance(error, BaseExceptionGroup) and (waits := error.subgroup((Suspend, Snooze))):
        while isinstance(waits, BaseExceptionGroup):
            waits = waits.exceptions[0]
        return waits
    return error


def _classify(attempt: ClassifiedAttempt, error: BaseException) -> Outcome:
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
    """Return the traceback from user code on. Our own frames do not help the user, and an invalid input has no
    others."""
    frames = tracebacks.extract_tb(error.__traceback__)
    own = next((no for no, frame in enumerate(frames) if not frame.filename.startswith(OURS)), None)
    if own is None and isinstance(error, WrongValue):
        return None
    return "".join([*tracebacks.format_list(frames[own or 0 :]), *tracebacks.format_exception_only(error)])
