"""A client on an isolated database, with the clock and worker that a test needs."""

import asyncio
import tempfile
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from uuid import UUID

from tenuto.db import embedded
from tenuto.db.connection.pool import ConnectionPool, open_pool
from tenuto.db.install.test_databases import drop_abandoned, isolated_database
from tenuto.model.tasks import MAX_TASKS
from tenuto.runtimes.process_hooks import shut_down, start_up
from tenuto.sdk.app import App
from tenuto.sdk.app_loader import combine_apps
from tenuto.sdk.client.client import Client
from tenuto.sdk.client.sql_transport import SqlTransport
from tenuto.sdk.connect import DEFAULT_ORG, find_address
from tenuto.storage.base import Store
from tenuto.storage.folder import FolderStore
from tenuto.testing.clock import Clock
from tenuto.testing.inline import InlineWorker
from tenuto.testing.waiting import IsolatedWatcher
from tenuto.worker.backends.sql import put_schedules


class Isolated(Client):
    """The client of a test. In addition to everything that `app.connect()` offers, it has a clock (`await
    tn.clock.advance("5m")`) and a worker (`await tn.work()`)."""

    def __init__(self, pool: ConnectionPool, org_id: UUID, store: Store, *, app: App, url: str) -> None:
        transport = SqlTransport(pool, org_id, store)
        super().__init__(transport, url=url, app=app)
        self._worker = InlineWorker(transport, app)
        self.clock = Clock(pool, self._worker.pass_time)
        self.watcher = IsolatedWatcher(transport, lambda: self._worker.works)

    async def work(self, *, most: int = MAX_TASKS) -> int:
        """Run all tasks that can run now, in this event loop, until none is left; return how many attempts ran. Raises
        AssertionError when more than `most` have run."""
        return await self._worker.work(most=most)


def join_apps(apps: tuple[App, ...]) -> App:
    """Return an app with the tasks and hooks of all these apps."""
    return apps[0] if len(apps) == 1 else combine_apps((f"App({app.name!r})", app) for app in apps)


@contextmanager
def postgres() -> Generator[str]:
    """Yield the URL of an embedded server for a whole test session: `isolated(app, server=url)`. Its folder is kept, so
    that the next session starts quickly. If a killed session has left the server running, that server is used and then
    stopped. Databases that killed tests left behind are dropped."""
    address = find_address()
    with embedded.server(address.home / "testing", project=address.project_folder, pg_bin=address.pg_bin) as url:
        drop_abandoned(url)
        yield url


@asynccontextmanager
async def isolated(*apps: App, server: str | None = None) -> AsyncGenerator[Isolated]:
    """Connect a test client: `async with isolated(app) as tn`. The client has a new database and a clock that stands
    still. Tasks run only when the test calls `tn.work()`. With several apps, the client serves the tasks of all of
    them."""
    if server is None:
        own = postgres()
        url = await asyncio.to_thread(own.__enter__)
        try:
            async with isolated(*apps, server=url) as tn:
                yield tn
        finally:
            await asyncio.to_thread(own.__exit__, None, None, None)
        return
    app = join_apps(apps)
    database = isolated_database(server)
    url = await asyncio.to_thread(database.__enter__)
    try:
        async with isolated_client(app, url) as tn:
            yield tn
    finally:
        await asyncio.to_thread(database.__exit__, None, None, None)


@asynccontextmanager
async def isolated_client(app: App, url: str, store: Store | None = None) -> AsyncGenerator[Isolated]:
    """Connect a test client to an existing test database that has no other users. The data objects of the client are in
    `store`, or in a temporary folder if it is None."""
    # One connection, so that all calls use the same clock.
    with tempfile.TemporaryDirectory(prefix="tenuto-objects-") as folder:
        async with open_pool(url, size=1) as pool:
            tn = Isolated(pool, DEFAULT_ORG, store or FolderStore(Path(folder)), app=app, url=url)
            await tn.clock.set(tn.clock.now)
            await pool.call(put_schedules, DEFAULT_ORG, app)
            await start_up(app.hooks)
            try:
                yield tn
            finally:
                await tn.watcher.close()
                await shut_down(app.hooks)
