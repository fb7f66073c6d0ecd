"""The clock of a test database: it stands still until the test moves it."""

from datetime import UTC, datetime, timedelta

from tenuto.db.connection.pool import ConnectionPool
from tenuto.db.install.test_databases import set_clock
from tenuto.model.durations import Duration, seconds


class Clock:
    """The clock of the test database: `await tn.clock.advance("5m")`."""

    def __init__(self, pool: ConnectionPool) -> None:
        self._pool = pool
        self.now = datetime.now(UTC)

    async def advance(self, by: Duration) -> datetime:
        """Move the clock forward. Tasks that become due run with the next `await tn.work()`."""
        return await self.set(self.now + timedelta(seconds=seconds(by, "by")))

    async def set(self, now: datetime) -> datetime:
        """Set the clock to this time."""
        self.now = now
        await self._pool.call(set_clock, now)
        return now
