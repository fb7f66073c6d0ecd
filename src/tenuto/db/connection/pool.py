"""The connection pool for calls. Every call has a timeout, and broken connections are replaced. Row security restricts
calls for one org to the rows of that org; setting the org needs no extra round trip."""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import cache
from typing import Any, Concatenate, LiteralString, ParamSpec, TypeVar
from uuid import UUID
from weakref import WeakValueDictionary

import psycopg
from psycopg.pq import TransactionStatus
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from tenuto.db.connection.availability import Availability, availability_of
from tenuto.db.connection.call import Actor, Conn, rejected, translated_errors
from tenuto.db.connection.connect import (
    TransactionCursor,
    configure,
    configure_bound,
    connection_settings,
    gated,
)
from tenuto.db.connection.error_messages import place_of
from tenuto.db.connection.errors import (
    Away,
    StatementFailed,
    TimedOut,
    Unreachable,
    check_loop_ended,
    lacks_right,
)
from tenuto.db.connection.forks import abandon, renew_after_fork

P = ParamSpec("P")
T = TypeVar("T")

# Error codes of a statement, after which the connection is still usable: deadlock, lock not available, out of memory.
OF_A_STATEMENT = ("40", "55", "53200")
# Both settings are valid until the end of the transaction. The timeout is set here and not per connection, because a
# pooler would not keep it.
ACT_FOR = b"select set_config('tenuto.org_id', %s, true), set_config('statement_timeout', %s, true)"


class ConnectionPool:
    """A few connections to one database, which keep no state between calls. The calls of one org can use only a part of
    them, so that no org makes the others wait."""

    def __init__(
        self,
        url: str,
        make: Callable[[Availability], AsyncConnectionPool[Conn]],
        *,
        size: int,
        timeout: float,
        away: float | None,
    ) -> None:
        self._url, self._make, self.timeout = url, make, timeout
        self._away = timeout if away is None else away
        self._availability = availability_of(url)
        self._share = max(1, size - max(1, size // 5))
        self._closed = False
        self._start_over()
        renew_after_fork(self)

    def renew(self) -> None:
        """In a forked child: stops using the connections, which belong to the parent, and connects again on first
        use."""
        abandon(self._connections)
        self._start_over()

    def _start_over(self) -> None:
        self._connections = self._make(self._availability)
        self._shares: WeakValueDictionary[UUID, asyncio.Semaphore] = WeakValueDictionary()
        self._loop: asyncio.AbstractEventLoop | None = None  # the event loop to which the connections belong

    async def call(
        self, function: Callable[Concatenate[Conn, P], Awaitable[T]], *args: P.args, **params: P.kwargs
    ) -> T:
        """Make one call in a transaction of its own: `await pool.call(runs.cancel_run, org_id=…, run_id=…)`."""
        async with self.connection() as conn:
            return await function(conn, *args, **params)

    def connection(self, *, timeout: float | None = None, org_id: UUID | None = None) -> "PooledConnection":
        """Return a connection for several calls, from the org's part of the pool. `timeout` is the maximum time for all
        of these calls together. It does not include the time in which they wait for other calls of the same org,
        because a burst of calls is served a few at a time. This wait is limited too: to the longer of `timeout` and the
        timeout of the pool, and during an outage to `timeout`."""
        if (loop := asyncio.get_running_loop()) is not self._loop:
            self._use_in(loop)
        seconds = self.timeout if timeout is None else timeout
        return PooledConnection(self._connections, self._availability, seconds, self._share_of(org_id), self)

    def _use_in(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._closed:
            raise Unreachable("the client is closed; open a new one")
        if self._loop is not None:
            check_loop_ended(self._loop)
            self._start_over()
        self._loop = loop

    @property
    def problem(self) -> str | None:
        """Why the server is known to be unavailable now."""
        return self._availability.problem

    async def connect(self, seconds: float) -> Conn:
        """Return a free or new connection. Raises PoolTimeout after this time, during an outage sooner."""
        if self._connections.closed:
            await self._connections.open()
        end = time.monotonic() + seconds
        while True:
            left = end - time.monotonic()
            try:
                return await self._connections.getconn(min(left, self._away))
            except PoolTimeout:
                if left <= self._away or self.problem:
                    raise

    def late(self, seconds: float) -> str:
        """Return the message for a caller that got no connection within this time."""
        size = self._connections.max_size
        why = self._availability.problem or f"none of the {size} connections was free, or the server did not respond"
        return f"waited {seconds:.1f} s for a connection to Postgres at {place_of(self._url)}: {why}"

    def _share_of(self, org_id: UUID | None) -> asyncio.Semaphore | None:
        if org_id is None:
            return None
        share = self._shares.get(org_id)
        if share is None:
            share = self._shares[org_id] = asyncio.Semaphore(self._share)
        return share

    async def close(self) -> None:
        loop, self._loop, self._closed = self._loop, None, True
        if loop is asyncio.get_running_loop():
            await self._connections.close()


class PooledConnection:
    """A connection for the duration of an `async with` block. Converts errors of the driver to Tenuto's. It is a class,
    because a generator with contextlib would cost as much as the rest of a call."""

    def __init__(
        self,
        connections: AsyncConnectionPool[Conn],
        availability: Availability,
        seconds: float,
        share: asyncio.Semaphore | None,
        pool: ConnectionPool,
    ) -> None:
        self._connections, self._availability, self._seconds, self._share = connections, availability, seconds, share
        self._pool = pool
        queues = share is not None and not availability.problem
        self._timer = asyncio.timeout(max(seconds, pool.timeout) if queues else seconds)
        self._conn: Conn | None = None
        self._began = 0.0

    async def __aenter__(self) -> Conn:
        await self._timer.__aenter__()
        try:
            if self._share:
                await self._share.acquire()
                self._timer.reschedule(asyncio.get_running_loop().time() + self._seconds)
        except BaseException as error:
            await self._end(error)
            raise
        try:
            self._began = time.monotonic()
            self._conn = await self._pool.connect(min(self._seconds, self._pool.timeout))
        except BaseException as error:
            await self.__aexit__(type(error), error, None)
            raise
        return self._conn

    async def __aexit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        try:
            if self._conn:
                await self._connections.putconn(self._conn)
        except BaseException as problem:
            error = problem
            raise
        finally:
            if self._share:
                self._share.release()
            await self._end(error)  # in any case, because the timer must not fire in later code

    async def _end(self, error: BaseException | None) -> None:
        try:
            await self._timer.__aexit__(type(error) if error else None, error, None)
        except TimeoutError as late:
            error = late
        match error:
            case PoolTimeout() | TimeoutError():
                if self._conn:
                    raise TimedOut(f"the database did not respond within {self._seconds:.15g} s") from error
                away = Away if self._availability.problem else Unreachable
                raise away(self._pool.late(time.monotonic() - self._began)) from error
            case psycopg.errors.InsufficientPrivilege():
                raise lacks_right(error.diag.message_primary) from error
            case psycopg.errors.QueryCanceled():  # the connection is still usable
                raise TimedOut(f"the database stopped a statement: {str(error).strip().splitlines()[0]}") from error
            case psycopg.OperationalError(sqlstate=str(code)) if code.startswith(OF_A_STATEMENT):
                raise StatementFailed(f"a statement failed: {str(error).strip().splitlines()[0]}") from error
            case psycopg.OperationalError() | psycopg.InterfaceError():
                # Other connections of the pool are usually broken too, and the next call must not get one of them.
                await self._connections.check()
                raise Unreachable(f"the connection to the database broke: {str(error).strip()}") from error
            case psycopg.Error() if problem := rejected(error):
                raise problem from error
            case _:
                return


def make_pool(
    url: str,
    *,
    role: str | None = None,
    size: int = 4,
    timeout: float = 30.0,
    away: float | None = None,
    longest: float | None = None,
    bound: bool = False,
    application: str = "tenuto",
) -> ConnectionPool:
    """Return a pool that connects on first use. It works through PgBouncer in transaction mode. `away`: how long a call
    waits for a server that does not accept connections, if shorter than `timeout`. `longest`: seconds
    after which the database cancels a statement even if this process is gone (not through a pooler, which accepts no
    options). `bound`: reject connections that bypass row security. `application`: the application name, which the audit
    log shows for a direct client in addition to its login."""

    def make(availability: Availability) -> AsyncConnectionPool[Conn]:
        connections: AsyncConnectionPool[Conn] = AsyncConnectionPool(
            url,
            connection_class=gated(availability, lambda: connections.closed),
            kwargs=connection_settings(role, timeout if away is None else away, longest, application),
            configure=configure_bound if bound else configure,
            min_size=0,  # connections are opened on demand, and callers wait until there is one
            max_size=size,
            timeout=timeout,
            reconnect_timeout=timeout,
            open=False,
        )
        return connections

    return ConnectionPool(url, make, size=size, timeout=timeout, away=away)


@asynccontextmanager
async def open_pool(
    url: str,
    *,
    role: str | None = None,
    size: int = 4,
    timeout: float = 30.0,
    longest: float | None = None,
    bound: bool = False,
    application: str = "tenuto",
) -> AsyncGenerator[ConnectionPool]:
    """Make a pool for the duration of an `async with` block."""
    pool = make_pool(url, role=role, size=size, timeout=timeout, longest=longest, bound=bound, application=application)
    try:
        yield pool
    finally:
        await pool.close()


async def call_for(
    pool: ConnectionPool,
    org_id: UUID,
    function: Callable[..., Awaitable[T]],
    *,
    timeout: float,
    actor: Actor | None = None,
    **params: Any,
) -> T:
    """Calls a function of `tenuto.db` for the org in one round trip. Without an actor, a pipeline sends the settings
    and the call together, as one transaction. With an actor, the statement of the call also authenticates the caller;
    this costs a third of a pipeline."""
    if actor is not None:
        async with pool.connection(timeout=timeout, org_id=org_id) as conn:
            return await function(actor.on(conn), org_id=org_id, **params)
    async with (
        pool.connection(timeout=max(pool.timeout, 2 * timeout), org_id=org_id) as conn,
        conn.transaction() if conn.cursor_factory is TransactionCursor else conn.pipeline(),
    ):
        await _act_for(conn, org_id, timeout, None)
        return await function(conn, org_id=org_id, **params)


@asynccontextmanager
async def transaction_for(
    pool: ConnectionPool, org_id: UUID, *, timeout: float, actor: Actor | None = None
) -> AsyncGenerator[Conn]:
    """Open a transaction for the org. Statements without a result are sent together with the next call (a pipeline), so
    that begin and commit need no round trips of their own, as they would with `conn.transaction()`."""
    with translated_errors():
        async with pool.connection(timeout=max(pool.timeout, 2 * timeout), org_id=org_id) as conn:
            try:
                async with conn.pipeline():
                    await conn.execute("begin isolation level read committed")
                    await _act_for(conn, org_id, timeout, actor)
                    yield conn
                    await conn.execute("commit")
            finally:
                if conn.info.transaction_status is not TransactionStatus.IDLE:
                    await conn.rollback()


async def _act_for(conn: Conn, org_id: UUID, timeout: float, actor: Actor | None) -> None:
    if actor is None:
        await conn.execute(ACT_FOR, [str(org_id), f"{timeout:.15g}s"])
    else:
        await conn.execute(_act_as(actor.function, len(actor.values)), [*actor.values, f"{timeout:.15g}s"])


@cache
def _act_as(function: LiteralString, count: int) -> bytes:
    marks = ", ".join(["%s"] * count)
    return f"select tenuto.{function}({marks}), set_config('statement_timeout', %s, true)".encode()
