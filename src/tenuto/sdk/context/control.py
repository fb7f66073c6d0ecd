"""What user code raises to say how its attempt ends."""

from typing import Any

from tenuto.model.durations import Duration, seconds


class Retry(Exception):
    """Try again, after a time or after the task's own backoff: `raise Retry(after="30s")`. Costs an attempt."""

    def __init__(self, message: str = "asked to be retried", *, after: Duration | None = None) -> None:
        super().__init__(message)
        self.after = None if after is None else seconds(after)


class Fail(Exception):
    """Fail for good, however many attempts are left: `raise Fail("no such customer")`."""


class Suspend(BaseException):
    """The attempt ends here and waits, holding no slot. Not an Exception: `except Exception` must not swallow it."""

    def __init__(self, wait: dict[str, Any]) -> None:
        super().__init__(wait)
        self.wait = wait


class Snooze(BaseException):
    """The attempt ends here and comes back later, at no charge."""

    def __init__(self, delay: float) -> None:
        super().__init__(delay)
        self.delay = delay
