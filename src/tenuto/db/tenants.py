"""Work for one org at a time: row security shows its rows and no others, from the same round trip as the call on."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar
from uuid import UUID

from tenuto.db.call import Conn
from tenuto.db.pool import Pool

T = TypeVar("T")

# Both end with the transaction. The timeout is set here, not for the connection, since a pooler would not keep it.
ACT_FOR = b"select set_config('tenuto.org_id', %s, true), set_config('statement_timeout', %s, true)"


async def call_for(
    pool: Pool, org_id: UUID, function: Callable[..., Awaitable[T]], *, timeout: float, **params: Any
) -> T:
    """One call of a wrapper for the org in one round trip: what a pipeline sends before its sync is one transaction."""
    async with pool.connection() as conn, conn.pipeline():
        await _act_for(conn, org_id, timeout)
        return await function(conn, org_id=org_id, **params)


@asynccontextmanager
async def transaction_for(pool: Pool, org_id: UUID, *, timeout: float) -> AsyncIterator[Conn]:
    """Several calls for the org, all or none."""
    async with pool.connection() as conn, conn.pipeline(), conn.transaction():
        await _act_for(conn, org_id, timeout)
        yield conn


async def _act_for(conn: Conn, org_id: UUID, timeout: float) -> None:
    await conn.execute(ACT_FOR, [str(org_id), f"{timeout:g}s"])
