"""Runs calls for one org: row security restricts them to its rows, in the same round trip as the call."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import cache
from typing import Any, LiteralString, TypeVar
from uuid import UUID

from psycopg.pq import TransactionStatus

from tenuto.db.connection.call import Actor, Conn, kernel_errors
from tenuto.db.connection.pool import ConnectionPool

T = TypeVar("T")

# Both settings end with the transaction. The timeout is set here, not per connection, because a pooler would not keep
# it.
ACT_FOR = b"select set_config('tenuto.org_id', %s, true), set_config('statement_timeout', %s, true)"


async def call_for(
    pool: ConnectionPool,
    org_id: UUID,
    function: Callable[..., Awaitable[T]],
    *,
    timeout: float,
    acts: Actor | None = None,
    **params: Any,
) -> T:
    """Call a wrapper for the org in one round trip: a pipeline sends everything before its sync as one transaction.
    With an actor, authentication is part of the call's own statement, at a third of the cost."""
    if acts is not None:
        async with pool.connection(timeout=timeout, org_id=org_id) as conn:
            return await function(acts.on(conn), org_id=org_id, **params)
    async with pool.connection(timeout=max(pool.timeout, 2 * timeout), org_id=org_id) as conn, conn.pipeline():
        await _act_for(conn, org_id, timeout, None)
        return await function(conn, org_id=org_id, **params)


@asynccontextmanager
async def transaction_for(
    pool: ConnectionPool, org_id: UUID, *, timeout: float, acts: Actor | None = None
) -> AsyncGenerator[Conn]:
    """Open a transaction for the org. Calls whose result is not awaited are pipelined with the next awaited call:
    `conn.transaction()` would need one round trip to begin and one to end."""
    with kernel_errors():
        async with pool.connection(timeout=max(pool.timeout, 2 * timeout), org_id=org_id) as conn:
            try:
                async with conn.pipeline():
                    await conn.execute("begin")
                    await _act_for(conn, org_id, timeout, acts)
                    yield conn
                    await conn.execute("commit")
            finally:
                if conn.info.transaction_status is not TransactionStatus.IDLE:
                    await conn.rollback()


async def _act_for(conn: Conn, org_id: UUID, timeout: float, acts: Actor | None) -> None:
    if acts is None:
        await conn.execute(ACT_FOR, [str(org_id), f"{timeout:g}s"])
    else:
        await conn.execute(_act_as(acts.function, len(acts.values)), [*acts.values, f"{timeout:g}s"])


@cache
def _act_as(function: LiteralString, count: int) -> bytes:
    marks = ", ".join(["%s"] * count)
    return f"select tenuto.{function}({marks}), set_config('statement_timeout', %s, true)".encode()
