"""A client on an isolated database, with the clock and worker that a test needs."""

import asyncio
import tempfile
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from uuid import UUID

from tenuto.db import embedded
from tenuto.db.connection.pool import ConnectionPool, open_pool
from tenuto.db.install.test_databases import isolated_database
from tenuto.model.tasks import MAX_TASKS
from tenuto.sdk.app import App
from tenuto.sdk.client.client import Client
from tenuto.sdk.client.sql_transport import SqlTransport
from tenuto.sdk.connect import DEFAULT_ORG, find_address
from tenuto.storage.base import Store
from tenuto.storage.folder import FolderStore
from tenuto.testing.clock import Clock
from tenuto.testing.inline import InlineWorker
from tenuto.worker.backends.sql import put_schedules


class Isolated(Client):
    """The client of a test: everything that `app.connect()` offers, plus a clock and a worker: `await
    tn.clock.advance("5m")`, `await tn.work()`."""

    def __init__(self, pool: ConnectionPool, org_id: UUID, store: Store, *, app: App, url: str) -> None:
        transport = SqlTransport(pool, org_id, store)
        super().__init__(transport, url=url, app=app)
        self.clock = Clock(pool)
        self._worker = InlineWorker(transport, app)

    async def work(self, *, most: int = MAX_TASKS) -> int:
        """Run all tasks that can run now, in this event loop, until none is left; return how many attempts ran."""
        return await self._worker.work(most=most)


@contextmanager
def postgres() -> Generator[str]:
    """Yield the URL of an embedded server for a whole test session: `isolated(app, server=url)`. Its folder is kept, so
    that the next session starts quickly."""
    address = find_address()
    with embedded.server(address.home / "testing", pg_bin=address.pg_bin) as url:
        yield url


@asynccontextmanager
async def isolated(app: App, *, server: str | None = None) -> AsyncGenerator[Isolated]:
    """Connect a test client: `async with isolated(app) as tn`. It has a new database, a clock that stands still, and
    tasks run only when the test calls `tn.work()`."""
    if server is None:
        own = postgres()
        url = await asyncio.to_thread(own.__enter__)
        try:
            async with isolated(app, server=url) as tn:
                yield tn
        finally:
            await asyncio.to_thread(own.__exit__, None, None, None)
        return
    database = isolated_database(server)
    url = await asyncio.to_thread(database.__enter__)
    try:
        async with isolated_client(app, url) as tn:
            yield tn
    finally:
        await asyncio.to_thread(database.__exit__, None, None, None)


@asynccontextmanager
async def isolated_client(app: App, url: str) -> AsyncGenerator[Isolated]:
    """Connect a test client to an existing test database that has no other users."""
    # One connection, so that all calls use the same clock.
    with tempfile.TemporaryDirectory(prefix="tenuto-objects-") as folder:
        async with open_pool(url, size=1) as pool:
            tn = Isolated(pool, DEFAULT_ORG, FolderStore(Path(folder)), app=app, url=url)
            await tn.clock.set(tn.clock.now)
            await pool.call(put_schedules, DEFAULT_ORG, app)
            yield tn
            await tn.watcher.close()
