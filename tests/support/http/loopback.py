"""A real HTTP server in a thread of the test process, pointed at one test's database after another."""

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import replace
from typing import Any, TypeVar

import uvicorn

from tenuto.db import keys
from tenuto.db.connection.pool import ConnectionPool, open_pool
from tenuto.model.keys import API, Peppers, key_hash, make_key
from tenuto.sdk.connect import DEFAULT_ORG
from tenuto.server.app import TenutoApp, create_app
from tenuto.server.settings import ServerSettings
from tenuto.server.state import ServerState
from tenuto.storage.base import Store
from tests.support.http.kept_pool import forget, renew
from tests.support.postgres.shared_database import KEPT_APPLICATION

PEPPERS = Peppers((b"p" * 32,))
NOWHERE = ServerSettings("postgresql://nobody@127.0.0.1:1/none", "tenuto_api", PEPPERS, env="test")
T = TypeVar("T")


class Loopback:
    """`url` is where it answers."""

    def __init__(self, server: uvicorn.Server, app: TenutoApp, loop: asyncio.AbstractEventLoop, url: str) -> None:
        self._server, self._app, self._loop, self.url = server, app, loop, url
        self._pools = AsyncExitStack()
        self._database = ""

    def aim(self, database: str, store: Store) -> None:
        """Answer from this database, at the time that its clock shows now."""
        self._do(self._aim(database, store))

    async def _aim(self, database: str, store: Store) -> None:
        state: ServerState = self._app.state
        pool = state.pool
        if database == self._database:
            await renew(pool)
        else:
            await self._pools.aclose()
            kept = open_pool(database, role="tenuto_api", size=4, application=KEPT_APPLICATION)
            pool = await self._pools.enter_async_context(kept)
            self._database = database
        settings = replace(state.settings, database_url=database)
        self._app.state = replace(state, settings=settings, pool=pool, store=store)

    def leave(self) -> None:
        """At the end of a test."""
        self._do(forget(self._app.state.pool))

    def close(self) -> None:
        self._do(self._pools.aclose())

    def _do(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(60)


@contextmanager
def loopback(settings: ServerSettings = NOWHERE, *, port: int = 0) -> Iterator[Loopback]:
    """It answers until the end of the block."""
    app = create_app(settings)
    quiet: dict[str, Any] = {"log_config": None, "access_log": False, "timeout_graceful_shutdown": 1}
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=port, **quiet))
    loops: list[asyncio.AbstractEventLoop] = []
    ready = threading.Event()

    async def serve() -> None:
        loops.append(asyncio.get_running_loop())
        serving = asyncio.create_task(server.serve())
        while not server.started and not serving.done():
            await asyncio.sleep(0.005)
        ready.set()
        await serving

    # Cancels requests that uvicorn leaves behind and waits for them: otherwise their sockets and connections would be
    # found open in a later test.
    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    assert ready.wait(60)
    port = server.servers[0].sockets[0].getsockname()[1]
    running = Loopback(server, app, loops[0], f"http://127.0.0.1:{port}")
    try:
        yield running
    finally:
        running.close()
        server.should_exit = True
        thread.join(60)


async def make_api_key(pool: ConnectionPool, *permissions: str) -> str:
    """A new key of the default org, for everything or for these permissions."""
    key = make_key(API, "test")
    await pool.call(
        keys.create_api_key,
        org_id=DEFAULT_ORG,
        key_id=key.key_id,
        hash=key_hash(PEPPERS, key.text),
        name="test",
        permissions=list(permissions or ("*",)),
        created_by="test",
    )
    return key.text
