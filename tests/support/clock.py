"""A clock that tests move: it stands still in one connection until it is advanced."""

from datetime import UTC, datetime, timedelta

import psycopg


class Clock:
    """The time that one connection's kernel calls see."""

    def __init__(self, db: psycopg.Connection) -> None:
        self._db = db
        self.now = datetime.now(UTC)
        self._set()

    def advance(self, **delta: float) -> None:
        self.now += timedelta(**delta)
        self._set()

    def _set(self) -> None:
        self._db.execute("select set_config('tenuto.fake_now', %s, false)", [self.now.isoformat()])


class StoppedClock:
    """A monotonic clock for code that takes one."""

    def __init__(self, now: float) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now
