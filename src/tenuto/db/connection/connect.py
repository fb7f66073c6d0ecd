"""Opens connections with keepalives, a role and timeouts. During an outage, connections are tried one at a time.

Detects connection poolers. Behind a pooler, each statement may run on another server connection, so a connection must
keep no state, not even a prepared statement. A pooler reports another backend pid than the server does, so no
configuration is needed to detect it.
"""

import logging
from collections.abc import Callable
from typing import Any, NamedTuple, Self

import psycopg
from psycopg import AsyncConnection, AsyncCursor, Connection, IsolationLevel
from psycopg.abc import Params, QueryNoTemplate
from psycopg.conninfo import make_conninfo
from psycopg.pq import PipelineStatus, TransactionStatus
from psycopg.sql import Composable

from tenuto.db.connection.availability import Availability
from tenuto.db.connection.call import Conn
from tenuto.db.connection.errors import MissingRight
from tenuto.db.connection.process_role import check_connection_bound

log = logging.getLogger("tenuto.db")

READ_COMMITTED = "read committed"

# The server closes a connection whose client has not read a response for 10 s, for example that of a stopped worker.
# Otherwise its transaction would stay open and hold its locks. The timeout is set here, because a pooler accepts no
# options, and this call is made in any case. Unix sockets ignore it.
# psycopg reads only times in the ISO style; a pooler keeps this style for each client.
# A direct connection also sets its isolation level, because the default may be another one. Behind a pooler, this would
# change the connections of other clients, so the query only returns the level.
BACKEND = """
select pg_backend_pid(), set_config('tcp_user_timeout', '10s', false), set_config('datestyle', 'ISO', false),
       case when pg_backend_pid() = %s then set_config('default_transaction_isolation', 'read committed', false)
            else current_setting('default_transaction_isolation') end
"""


class TransactionCursor(AsyncCursor[Any]):
    """Executes each statement in a READ COMMITTED transaction of its own, unless a transaction or a pipeline is open. A
    connection uses it behind a pooler whose server connections have another isolation level as their default."""

    async def execute(  # pyright: ignore[reportIncompatibleMethodOverride] — no templates are passed
        self,
        query: QueryNoTemplate,
        params: Params | None = None,
        *,
        prepare: bool | None = None,
        binary: bool | None = None,
    ) -> Self:
        pgconn = self.connection.pgconn
        inside = pgconn.transaction_status != TransactionStatus.IDLE or pgconn.pipeline_status != PipelineStatus.OFF
        if inside or not _may_be_in_transaction(query):
            return await super().execute(query, params, prepare=prepare, binary=binary)
        async with self.connection.transaction():
            return await super().execute(query, params, prepare=prepare, binary=binary)


def _may_be_in_transaction(query: QueryNoTemplate) -> bool:
    """Returns false for vacuum, and for procedures: they commit, and begin a READ COMMITTED transaction themselves."""
    text = query.as_string(None) if isinstance(query, Composable) else query
    start = text[:10] if isinstance(text, bytes) else str(text)[:10].encode()
    return not start.lower().startswith((b"call ", b"vacuum "))


class Connected(NamedTuple):
    """Describes a new connection. `pooled`: it goes through a pooler. `begins`: the server connections of the pooler
    have another default than READ COMMITTED, so every transaction has to begin with its isolation level."""

    pooled: bool
    begins: bool


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
    """Makes transactions READ COMMITTED, and sets the server's timeout for a client that does not read. Returns whether
    the connection goes through a pooler; if it does, turns off prepared statements."""
    cursor = await conn.execute(BACKEND, [conn.info.backend_pid], prepare=False)
    connected = _adapt(conn, await cursor.fetchone())
    await conn.set_isolation_level(IsolationLevel.READ_COMMITTED)  # of the transactions that psycopg begins
    if connected.begins:
        conn.cursor_factory = TransactionCursor
    return connected.pooled


def adapt_sync(conn: Connection[Any]) -> Connected:
    """Do the same as `adapt` for a sync connection, except that each caller begins its transactions itself."""
    connected = _adapt(conn, conn.execute(BACKEND, [conn.info.backend_pid], prepare=False).fetchone())
    conn.isolation_level = IsolationLevel.READ_COMMITTED
    return connected


def _adapt(conn: AsyncConnection[Any] | Connection[Any], row: tuple[int, str, str, str] | None) -> Connected:
    pid, _, _, isolation = row or (0, "", "", "")
    pooled = pid != conn.info.backend_pid
    if pooled:
        conn.prepare_threshold = None
    return Connected(pooled, begins=isolation != READ_COMMITTED)
