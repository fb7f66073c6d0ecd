"""Runs calls for one org: row security restricts them to its rows, in the same round trip as the call."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, LiteralString, TypeVar
from uuid import UUID

from psycopg.pq import TransactionStatus

from tenuto.db.connection.call import ActingConnection, Conn, kernel_errors
from tenuto.db.connection.pool import ConnectionPool

T = TypeVar("T")

# Both settings end with the transaction. The timeout is set here, not per connection, because a pooler would not keep
# it.
ACT_FOR = b"select set_config('tenuto.org_id', %s, true), set_config('statement_timeout', %s, true)"

NAMES = {
    "act_as_api_key": ("key_id", "hashes", "permission"),
    "act_as_user": ("org_id", "user_id", "platform_role"),
}


@dataclass(frozen=True)
class Actor:
    """A caller whose credentials are checked in every transaction: `function` with these values returns the caller's
    org, or raises."""

    function: LiteralString
    values: tuple[object, ...]

    def on(self, conn: Conn) -> Any:
        return ActingConnection(conn, self.function, self.values)

    def named(self) -> dict[str, Any]:
        """Return the values by name, for a function that checks them itself."""
        return dict(zip(NAMES[self.function], self.values, strict=True))


def key_acts(key_id: str, hashes: list[bytes], permission: str | None) -> Actor:
    """Return the actor for an API key and a permission. Uses an array literal: adapting a list of bytes costs more than
    checking the key."""
    literal = "{" + ",".join(f'"\\\\x{hash.hex()}"' for hash in hashes) + "}"
    return Actor("act_as_api_key", (key_id, literal, permission))


def user_acts(org_id: UUID, user_id: UUID, platform_role: str) -> Actor:
    """Return the actor for a user, with the platform role granted at log-in."""
    return Actor("act_as_user", (org_id, user_id, platform_role))


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
    With an actor, authentication is part of the call's own statement, which costs a third."""
    if acts is not None:
        async with pool.connection(timeout=timeout, org_id=org_id) as conn:
            return await function(acts.on(conn), org_id=org_id, **params)
    async with pool.connection(timeout=max(pool.timeout, 2 * timeout), org_id=org_id) as conn, conn.pipeline():
        await _act_for(conn, org_id, timeout, None)
        return await function(conn, org_id=org_id, **params)


@asynccontextmanager
async def transaction_for(
    pool: ConnectionPool, org_id: UUID, *, timeout: float, acts: Actor | None = None
) -> AsyncIterator[Conn]:
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
