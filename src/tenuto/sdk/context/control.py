"""Exceptions that user code raises to end its attempt in a certain way."""

from dataclasses import dataclass
from typing import Any

from tenuto.model.durations import Duration, seconds


class Retry(Exception):
    """Retry the task after a delay, or after its usual backoff: `raise Retry(after="30s")`. Counts as an attempt."""

    def __init__(self, message: str = "the task requested a retry", *, after: Duration | None = None) -> None:
        super().__init__(message)
        self.after = None if after is None else seconds(after)


class Fail(Exception):
    """Fail the task for good, even if attempts are left: `raise Fail("no such customer")`."""


class BadSignal(Fail):
    """The value of a received signal does not have the type that the task waits for. If the code does not catch it, the
    task fails for good; a retry of the run waits for the signal again."""


@dataclass(eq=False)
class Suspend(BaseException):
    """Ends the attempt until its wait is over, without occupying a slot. Not an Exception, so that `except Exception`
    does not swallow it."""

    wait: dict[str, Any]


@dataclass(eq=False)
class ReplayMismatch(BaseException):
    """Ends the attempt: the code called another step (`found`) than an earlier attempt recorded (`expected`). Not an
    Exception, so that `except Exception` does not swallow it."""

    step_no: int
    expected: str
    found: str


@dataclass(eq=False)
class Snooze(BaseException):
    """Ends the attempt; the task runs again after the delay in seconds. Does not count as an attempt."""

    delay: float
