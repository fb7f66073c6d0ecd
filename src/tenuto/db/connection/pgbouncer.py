"""Detects connection poolers, behind which each statement may run on another server connection: no state may be kept in
a connection, not even a prepared statement.

A pooler reports other backend pids than the server's own, so it is detected without any configuration.
"""

from typing import Any

from psycopg import AsyncConnection, Connection

# The server ends a connection whose client does not read a response for so long, for example a stopped worker: its
# transaction would stay open and hold its locks. Set here, because a pooler accepts no options and this call is made
# anyway. Ignored over Unix sockets.
BACKEND = "select pg_backend_pid(), set_config('tcp_user_timeout', '10s', false)"


async def adapt(conn: AsyncConnection[Any]) -> bool:
    """Set the read timeout of a new connection. Return whether it goes through a pooler; if so, turn off prepared
    statements."""
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
