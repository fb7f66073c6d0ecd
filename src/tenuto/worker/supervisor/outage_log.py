"""Logs the beginning and the end of an outage once, and in between one line per minute, however many callers notice the
outage."""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Hashable
from typing import TypeVar

from tenuto.db.connection.errors import Unreachable
from tenuto.model.backoff import Backoff
from tenuto.model.errors import CopiedDatabase, TenutoError

REPEAT_AFTER_SECONDS = 60.0  # seconds between two log lines about one outage
MAX_PAUSE_SECONDS = 5.0

T = TypeVar("T")


class OutageLog:
    """Calls `gone` with the reason and the duration so far: with the duration 0 when an outage begins, then at most
    once per minute. Calls `back` with the total duration when the outage ends. Thread-safe."""

    def __init__(
        self,
        *,
        gone: Callable[[str, float], None] = lambda _reason, _seconds: None,
        back: Callable[[float], None] = lambda _: None,
    ) -> None:
        self._gone, self._back = gone, back
        self._lock = threading.Lock()
        self._missing: set[Hashable] = set()  # callers whose last call failed
        self._since = self._logged = 0.0

    def failed(self, caller: Hashable, problem: object) -> None:
        """Record that a caller got an error."""
        with self._lock:
            now = time.monotonic()
            if not self._missing:
                self._since, self._logged = now, now - REPEAT_AFTER_SECONDS
            self._missing.add(caller)
            if now - self._logged < REPEAT_AFTER_SECONDS:
                return
            self._logged = now
        self._gone(str(problem) or type(problem).__name__, now - self._since)

    def recovered(self, caller: Hashable) -> None:
        """Record that a caller succeeded. The outage is over when all callers that got an error have succeeded."""
        if caller not in self._missing:
            return
        with self._lock:
            self._missing.discard(caller)
            if self._missing:
                return
        self._back(time.monotonic() - self._since)


async def wait_out(
    call: Callable[[], Awaitable[T]], outage_log: OutageLog, caller: Hashable, *, outage: type[Exception] = Unreachable
) -> T:
    """Repeat a call while it raises `outage`, or while the database is a copy that is not adopted; return its result.
    Any other TenutoError is raised to the caller, because it means that the database has responded."""
    backoff = Backoff(MAX_PAUSE_SECONDS)
    while True:
        try:
            result = await call()
        except CopiedDatabase as problem:
            outage_log.failed(caller, problem)
            await asyncio.sleep(backoff.after(problem))
        except TenutoError:  # the database responded: the request is invalid
            outage_log.recovered(caller)
            raise
        except outage as problem:
            outage_log.failed(caller, problem)
            await asyncio.sleep(backoff.after(problem))
        else:
            outage_log.recovered(caller)
            return result
