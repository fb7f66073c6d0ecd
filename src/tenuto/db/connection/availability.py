"""Whether a server accepts connections, as this process knows it.

While it does not, one part of the process tries to connect every 0.2 s, and its success lets all others in at once.
Each part on its own would either try too often or sleep out a pause that had grown while the server was away.
"""

import asyncio
import random
import threading
import time
from collections import defaultdict
from collections.abc import Callable

import psycopg

from tenuto.db.connection.errors import Away

PROBE_EVERY = 0.2
LOOK_EVERY = 0.03  # of those who wait on an event loop
LONGEST_WAIT = 1.0  # of a thread: its caller says that the server is away, and may have to stop
# What a server says that is starting, going down or full; without a code there was no answer at all.
AWAY = {None, "57P01", "57P02", "57P03", "53300"}


class Availability:
    """Of one address. From any thread."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._next_try = 0.0
        self.problem: str | None = None  # None: it is not known to be away

    def failed(self, problem: str) -> None:
        """Note that connecting failed, or that nothing could be done there."""
        with self._changed:
            self.problem = problem
            self._set_next_try()

    def refused(self, error: psycopg.Error) -> bool:
        """Note that connecting to Postgres failed; False when it did answer and something else is wrong."""
        if error.sqlstate not in AWAY:
            return False
        self.failed(str(error).strip() or type(error).__name__)
        return True

    def succeeded(self) -> None:
        with self._changed:
            self.problem = None
            self._changed.notify_all()

    def wait(self) -> None:
        """Until this thread may try to connect: at once, unless the server is away. `Away` after a second."""
        end = time.monotonic() + LONGEST_WAIT
        with self._changed:
            while not self._my_turn():
                left = min(end, self._next_try) - time.monotonic()
                if end <= time.monotonic():
                    raise Away(self.problem or "the server does not accept connections")
                self._changed.wait(max(0.001, left))

    async def wait_async(self, closed: Callable[[], bool] = lambda: False) -> None:
        """The same on an event loop, for as long as it takes, or until `closed`."""
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
        self._set_next_try()  # from now: a try that hangs does not keep others from trying
        return True

    def _set_next_try(self) -> None:
        self._next_try = time.monotonic() + PROBE_EVERY * random.uniform(0.7, 1.3)  # noqa: S311 (jitter, not a secret)


_known: defaultdict[str, Availability] = defaultdict(Availability)


def availability_of(url: str) -> Availability:
    """One for all parts of the process that use this address."""
    return _known[url]


class Backoff:
    """Seconds until the next try: growing, except while the server is away. Then connecting waits for its turn."""

    def __init__(self, longest: float) -> None:
        self._longest = longest
        self.reset()

    def reset(self) -> None:
        self._pause = 0.05

    def after(self, problem: BaseException) -> float:
        if isinstance(problem, Away):
            self.reset()
            return LOOK_EVERY
        pause, self._pause = self._pause, min(self._longest, 2 * self._pause)
        return pause * random.uniform(0.5, 1.5)  # noqa: S311 (jitter, not a secret)
