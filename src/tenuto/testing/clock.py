"""The clock of a test database: it stands still until the test moves it."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

from tenuto.db.connection.pool import ConnectionPool
from tenuto.db.install.test_databases import next_due, set_clock
from tenuto.model.durations import Duration, seconds

MAX_STOPS = 1000  # per move; a schedule that fires more often catches up once, as after an outage


class Clock:
    """The clock of the test database: `await tn.clock.advance("5m")`."""

    def __init__(self, pool: ConnectionPool, pass_time: Callable[[], Awaitable[None]]) -> None:
        self._pool, self._pass_time = pool, pass_time
        self.now = datetime.now(UTC)
        """The current time of the test database."""

    async def advance(self, by: Duration) -> datetime:
        """Move the clock forward. Meanwhile rates admit tasks and schedules fire at their times. Tasks that become due
        run with the next `await tn.work()`."""
        end, due = self.now + timedelta(seconds=seconds(by, "by")), None
        for _ in range(MAX_STOPS):
            last, due = due, await self._pool.call(next_due)
            if due is None or due > end or due == last:
                break
            await self.set(max(due, self.now))
            await self._pass_time()
        return await self.set(end)

    async def set(self, now: datetime) -> datetime:
        """Set the clock to this time. Schedules do not fire and rates do not admit tasks for the times in between."""
        self.now = now
        await self._pool.call(set_clock, now)
        return now
