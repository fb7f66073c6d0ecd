"""Connections that one test leaves to the next: each new one compiles every function that it calls."""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any

import psycopg
from anyio.from_thread import BlockingPortal, start_blocking_portal

from tenuto.db.connection.pool import ConnectionPool, make_pool, open_pool
from tests.support.postgres.shared_database import KEPT_APPLICATION

# The clock of `tenuto.testing` is a setting of the database, which connections read when they are made.
SEE_CLOCK = """
select set_config('tenuto.fake_now', coalesce((
  select split_part(setting, '=', 2)
  from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase, unnest(s.setconfig) setting
  where d.datname = current_database() and setting like 'tenuto.fake_now=%'
), ''), false)
"""


async def renew(pool: ConnectionPool) -> None:
    """Make the connections of a pool as good as new ones: those that were ended are replaced, and all see the clock of
    the database."""
    if not pool._connections.closed:
        await pool._connections.check()
        for conn in list(pool._connections._pool):
            await conn.execute(SEE_CLOCK, prepare=False)


async def forget(pool: ConnectionPool) -> None:
    """At the end of a test: what its connections did last is not found in pg_stat_activity by the next one."""
    for conn in list(pool._connections._pool):
        with suppress(psycopg.Error):  # the test ended it
            await conn.execute("", prepare=False)


class KeptPool:
    """An event loop for all tests of this process, and the pool of the database that the last of them used."""

    def __init__(self, portal: BlockingPortal) -> None:
        self.portal = portal
        self._loop: asyncio.AbstractEventLoop = portal.call(_running_loop)
        self._made_with: tuple[str, dict[str, Any]] | None = None
        self._pool: ConnectionPool | None = None

    @asynccontextmanager
    async def open(self, url: str, **more: Any) -> AsyncGenerator[ConnectionPool]:
        """Stands for `open_pool`; connections of other loops are not kept."""
        if asyncio.get_running_loop() is not self._loop:
            async with open_pool(url, **more) as pool:
                yield pool
            return
        if self._pool is None or self._made_with != (url, more):
            await self.close()
            self._pool = make_pool(url, application=KEPT_APPLICATION, **more)
            self._made_with = (url, more)
        else:
            await renew(self._pool)
        try:
            yield self._pool
        finally:
            await forget(self._pool)

    async def close(self) -> None:
        if self._pool is not None:
            await self._pool.close()
        self._pool = None


async def _running_loop() -> asyncio.AbstractEventLoop:
    return asyncio.get_running_loop()


@contextmanager
def a_kept_pool() -> Iterator[KeptPool]:
    with start_blocking_portal() as portal:
        kept = KeptPool(portal)
        yield kept
        portal.call(kept.close)
