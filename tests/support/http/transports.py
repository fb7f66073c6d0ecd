"""The same client over both transports: the database itself, and a server in front of it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from tenuto import App, Client
from tenuto.sdk.client.http_client import Http
from tenuto.sdk.client.http_transport import HttpTransport
from tenuto.sdk.client.sql_transport import SqlTransport
from tenuto.storage.base import Store
from tenuto.testing import Isolated
from tenuto.testing.isolation import isolated_client
from tests.support.http.loopback import Loopback, make_api_key


class Watched:
    """The clock of the database; who is connected already is told when it moves."""

    def __init__(self, clock: Any, moved: Any) -> None:
        self._clock, self._moved = clock, moved

    @property
    def now(self) -> Any:
        return self._clock.now

    async def advance(self, by: Any) -> Any:
        now = await self._clock.advance(by)
        self._moved()
        return now


class HttpIsolated(Client):
    """What `isolated` gives, but every word of the client goes through the server."""

    def __init__(self, inner: Isolated, remote: HttpTransport, clock: Watched) -> None:
        super().__init__(remote, url=inner.url, app=inner.app)
        self._inner, self.clock, self.work = inner, clock, inner.work

    @property
    def direct(self) -> SqlTransport:
        return self._inner.direct


@asynccontextmanager
async def isolated_over_http(
    app: App, database: str, loopback: Loopback, store: Store | None = None
) -> AsyncIterator[HttpIsolated]:
    async with isolated_client(app, database, store) as inner:

        def aim() -> None:
            loopback.aim(inner.url, inner.direct.store)

        aim()
        http = Http(loopback.url, await make_api_key(inner.direct.pool))
        tn = HttpIsolated(inner, HttpTransport(http), Watched(inner.clock, aim))
        try:
            yield tn
        finally:
            await tn.watcher.close()
            await http.close()
            loopback.leave()
