"""Behind a pooler another connection may answer the next statement: nothing may be kept in one, not even a plan.

A pooler gives its clients numbers of its own in place of the backend's, so it is noticed and nobody has to say it.
"""

from typing import Any

from psycopg import AsyncConnection, Connection

BACKEND = "select pg_backend_pid()"


async def adapt(conn: AsyncConnection[Any]) -> bool:
    """Whether a new connection leads through a pooler; if so, nothing is prepared on it."""
    cursor = await conn.execute(BACKEND, prepare=False)
    return _adapt(conn, await cursor.fetchone())


def adapt_sync(conn: Connection[Any]) -> bool:
    """The same for a sync connection."""
    return _adapt(conn, conn.execute(BACKEND, prepare=False).fetchone())


def _adapt(conn: AsyncConnection[Any] | Connection[Any], backend: tuple[int] | None) -> bool:
    pooled = backend is None or backend[0] != conn.info.backend_pid
    if pooled:
        conn.prepare_threshold = None
    return pooled
