"""Exceptions that user code raises to end its attempt in a certain way."""

from typing import Any

from tenuto.model.durations import Duration, seconds


class Retry(Exception):
    """Retry the task after a delay, or after its usual backoff: `raise Retry(after="30s")`. Counts as an attempt."""

    def __init__(self, message: str = "the task requested a retry", *, after: Duration | None = None) -> None:
        super().__init__(message)
        self.after = None if after is None else seconds(after)


class Fail(Exception):
    """Fail the task for good, even if attempts are left: `raise Fail("no such customer")`."""


class Suspend(BaseException):
    """Ends the attempt until its wait is over, without occupying a slot. Not an Exception, so that `except Exception`
    does not swallow it."""

    def __init__(self, wait: dict[str, Any]) -> None:
        super().__init__(wait)
        self.wait = wait


class Snooze(BaseException):
    """Ends the attempt; the task runs again after the delay. Does not count as an attempt."""

    def __init__(self, delay: float) -> None:
        super().__init__(delay)
        self.delay = delay
