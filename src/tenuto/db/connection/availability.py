"""Remembers, for the whole process, whether a database server accepts connections.

During an outage, one part of the process tries to connect every 0.2 s. When it succeeds, all other parts connect at
once. Without this module, each part would try on its own. It would either try too often, or still be in a long pause
when the outage is over.
"""

import asyncio
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from typing import TYPE_CHECKING

from tenuto.db.connection.errors import LOOK_EVERY, Away
from tenuto.db.connection.forks import renew_after_fork
from tenuto.model.backoff import jitter

if TYPE_CHECKING:
    import psycopg  # not at run time: workers over HTTP use this module too

PROBE_EVERY = 0.2
MAX_WAIT_SECONDS = 1.0  # for a thread, because its caller must log the outage and may have to stop
# The error codes of a server that is starting, shutting down or full. None: the server did not respond at all.
AWAY = {None, "57P01", "57P02", "57P03", "53300"}


class Availability:
    """The availability of one address. Thread-safe."""

    def __init__(self) -> None:
        self.renew()
        renew_after_fork(self)

    def renew(self) -> None:
        """Forgets what is known about the server. Also replaces the lock, because in a forked child a thread of the
        parent may hold the old one."""
        self._changed = threading.Condition()
        self._next_try = 0.0
        self.problem: str | None = None  # None: not known to be unavailable

    def failed(self, problem: str) -> None:
        """Record that connecting failed, or that the server cannot do any work."""
        with self._changed:
            self.problem = problem
            self._set_next_try()

    def refused(self, error: "psycopg.Error") -> bool:
        """Records that connecting to Postgres failed, and returns True. Returns False and records nothing for an error
        that does not mean that the server is unavailable, such as a wrong password."""
        if error.sqlstate not in AWAY:
            return False
        self.failed(str(error).strip() or type(error).__name__)
        return True

    def succeeded(self) -> None:
        with self._changed:
            self.problem = None
            self._changed.notify_all()

    def wait(self) -> None:
        """Waits until this thread may try to connect. Returns at once unless there is an outage. Raises Away if its
        turn does not come within a second."""
        end = time.monotonic() + MAX_WAIT_SECONDS
        with self._changed:
            while not self._my_turn():
                left = min(end, self._next_try) - time.monotonic()
                if end <= time.monotonic():
                    raise Away(self.problem or "the server does not accept connections")
                self._changed.wait(max(0.001, left))

    async def wait_async(self, closed: Callable[[], bool] = lambda: False) -> None:
        """Waits like `wait`, but in an event loop and without a time limit. Returns early when `closed` returns
        True."""
        while not closed():
            with self._changed:
                if self._my_turn():
                    return
            await asyncio.sleep(LOOK_EVERY)

    def _my_turn(self) -> bool:
        if self.problem is None:
            return True
        if time.monotonic() < self._next_try:
            return False
        self._set_next_try()  # the next try is 0.2 s from now, even if this one hangs
        return True

    def _set_next_try(self) -> None:
        self._next_try = time.monotonic() + jitter(PROBE_EVERY, 0.3)


_known: defaultdict[str, Availability] = defaultdict(Availability)


def availability_of(url: str) -> Availability:
    """Return the availability shared by all parts of the process that use this address."""
    return _known[url]
