"""Opens connections with keepalives, a role and timeouts. During an outage, connections are tried one at a time.

Detects connection poolers. Behind a pooler, each statement may run on another server connection, so a connection must
keep no state, not even a prepared statement. A pooler reports another backend pid than the server does, so no
configuration is needed to detect it.
"""

import logging
from collections.abc import Callable
from typing import Any, Self

import psycopg
from psycopg import AsyncConnection, Connection
from psycopg.conninfo import make_conninfo

from tenuto.db.connection.availability import Availability
from tenuto.db.connection.call import Conn
from tenuto.db.connection.errors import MissingRight
from tenuto.db.connection.process_role import check_connection_bound

log = logging.getLogger("tenuto.db")

# The server closes a connection whose client has not read a response for 10 s, for example that of a stopped worker.
# Otherwise its transaction would stay open and hold its locks. The timeout is set here, because a pooler accepts no
# options, and this call is made in any case. Unix sockets ignore it.
BACKEND = "select pg_backend_pid(), set_config('tcp_user_timeout', '10s', false)"


def with_keepalives(url: str) -> str:
    """Returns the URL with settings by which the operating system detects a server that vanished without closing the
    connection. This is in addition to Tenuto's own timeouts."""
    return make_conninfo(url, keepalives_idle=10, keepalives_interval=5, keepalives_count=3, tcp_user_timeout=30_000)


def gated(availability: Availability, closed: Callable[[], bool]) -> type[AsyncConnection[Any]]:
    """Return the connection class of one connection pool. During an outage, its connections wait for their turn to
    connect, together with all other connections of the process. If they failed instead, psycopg's pool would pause for
    1, 2, 4 … s between attempts."""

    class Gated(AsyncConnection[Any]):
        @classmethod
        async def connect(cls, conninfo: str = "", **settings: Any) -> Self:
            while True:
                await availability.wait_async(closed)
                try:
                    conn = await super().connect(with_keepalives(conninfo), **settings)
                except psycopg.OperationalError as error:
                    if closed() or not availability.refused(error):
                        raise
                else:
                    availability.succeeded()
                    return conn

    return Gated


async def configure(conn: Conn) -> None:
    await adapt(conn)


async def configure_bound(conn: Conn) -> None:
    await adapt(conn)
    try:
        await check_connection_bound(conn)
    except MissingRight as problem:
        log.error("closing a database connection that failed its check: %s", problem)
        raise


def connection_settings(role: str | None, timeout: float, longest: float | None, application: str) -> dict[str, Any]:
    settings: dict[str, Any] = {
        "autocommit": True,
        "application_name": application,
        "connect_timeout": max(2, int(timeout)),
    }
    if role:
        ended = f" -c statement_timeout={longest:.15g}s" if longest else ""
        settings["options"] = f"-c role={role}{ended}"
    return settings


async def adapt(conn: AsyncConnection[Any]) -> bool:
    """Sets the server's timeout for a client that does not read. Returns whether the connection goes through a pooler;
    if it does, turns off prepared statements."""
    cursor = await conn.execute(BACKEND, prepare=False)
    return _adapt(conn, await cursor.fetchone())


def adapt_sync(conn: Connection[Any]) -> bool:
    """Do the same as `adapt` for a sync connection."""
    return _adapt(conn, conn.execute(BACKEND, prepare=False).fetchone())


def _adapt(conn: AsyncConnection[Any] | Connection[Any], backend: tuple[int, str] | None) -> bool:
    pooled = backend is None or backend[0] != conn.info.backend_pid
    if pooled:
        conn.prepare_threshold = None
    return pooled
