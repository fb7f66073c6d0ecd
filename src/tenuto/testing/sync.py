"""The test client for synchronous tests."""

from collections.abc import Generator
from contextlib import AsyncExitStack, contextmanager
from datetime import datetime
from typing import cast

from tenuto.model.durations import Duration
from tenuto.model.tasks import MAX_TASKS
from tenuto.sdk.app import App
from tenuto.sdk.client.client import Client
from tenuto.sdk.client.sync import SyncClient
from tenuto.testing.isolation import Isolated, isolated, join_apps


class SyncClock:
    """The clock of the test database: `tn.clock.advance("5m")`."""

    def __init__(self, client: "SyncIsolated") -> None:
        self._client = client

    @property
    def now(self) -> datetime:
        """The current time of the test database."""
        return self._client.isolated.clock.now

    def advance(self, by: Duration) -> datetime:
        """Move the clock forward. Tasks that become due run with the next `tn.work()`."""
        return self._client.wait_for(self._client.isolated.clock.advance(by))

    def set(self, now: datetime) -> datetime:
        """Set the clock to this time."""
        return self._client.wait_for(self._client.isolated.clock.set(now))


class SyncIsolated(SyncClient):
    """The client of a synchronous test. In addition to everything that `app.connect_sync()` offers, it has a clock
    (`tn.clock.advance("5m")`) and a worker (`tn.work()`)."""

    def __init__(self, app: App, server: str | None) -> None:
        super().__init__(app)
        self._joined, self._server = app, server
        self.clock = SyncClock(self)

    async def connect(self) -> Client:
        """Open the asynchronous test client."""
        async with AsyncExitStack() as opened:
            client = await opened.enter_async_context(isolated(self._joined, server=self._server))
            client.close_later(opened.pop_all())
            return client

    @property
    def isolated(self) -> Isolated:
        """The asynchronous test client that does the work."""
        return cast("Isolated", self.client)

    def work(self, *, most: int = MAX_TASKS) -> int:
        """Run all tasks that can run now until none is left; return how many attempts ran. Raises AssertionError when
        more than `most` have run."""
        return self.wait_for(self.isolated.work(most=most))


@contextmanager
def isolated_sync(*apps: App, server: str | None = None) -> Generator[SyncIsolated]:
    """Connect a test client for synchronous tests: `with isolated_sync(app) as tn`. Otherwise like `isolated`."""
    tn = SyncIsolated(join_apps(apps), server)
    try:
        yield tn
    finally:
        tn.close()
