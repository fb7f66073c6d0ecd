"""A request of a running attempt. Every call is fenced by the attempt in its task token."""

import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from uuid import UUID

from tenuto.db import keys, rate_limits, remote_workers
from tenuto.db.connection.call import Conn
from tenuto.db.connection.pool import ConnectionPool, call_for, transaction_for
from tenuto.model.errors import Forbidden, StaleLease
from tenuto.model.principals import TaskPrincipal
from tenuto.model.remote_workers import HeldTask
from tenuto.model.task_tokens import TOKEN_HINT, key_id_of, read_task_token
from tenuto.server.http.request import HttpRequest
from tenuto.server.limits.rate_limits import TooManyRequests
from tenuto.server.settings import ServerSettings


@dataclass(frozen=True)
class AttemptTransaction:
    """A transaction of an attempt; `principal` and `token` are its fence in SQL."""

    conn: Conn
    principal: TaskPrincipal
    token: UUID
    cancelled: bool

    async def task(self) -> HeldTask:
        """Return the task as its worker received it. Raises StaleLease if the attempt is no longer held."""
        held = await remote_workers.get_held_task(
            self.conn, org_id=self.principal.org_id, task_id=self.principal.task_id
        )
        if held.attempt != self.principal.attempt:
            raise self.stale()  # the task was lost and claimed again between the two queries
        return held

    def stale(self) -> StaleLease:
        principal = self.principal
        return StaleLease(
            f"attempt {principal.attempt} of task {principal.task_id} is no longer held",
            "stop working on it: another worker has it, or it has ended",
        )


@dataclass(frozen=True)
class TaskRequest:
    """One request of one attempt."""

    http: HttpRequest
    principal: TaskPrincipal
    pool: ConnectionPool
    settings: ServerSettings

    @asynccontextmanager
    async def fenced(self, *, held: bool = True) -> AsyncGenerator[AttemptTransaction]:
        """Opens a transaction of the attempt. Raises StaleLease if the attempt is no longer held. With `held=False` the
        attempt may have ended: this is for final reports, which a worker may repeat."""
        principal = self.principal
        async with transaction_for(self.pool, principal.org_id, timeout=self.settings.statement_seconds) as conn:
            fence = await remote_workers.find_fence(
                conn,
                org_id=principal.org_id,
                task_id=principal.task_id,
                attempt=principal.attempt,
                session_id=principal.session_id,
                held=None if held else False,
            )
            yield AttemptTransaction(conn, principal, fence.token, fence.cancelled)

    def check_named(self, task_id: UUID | None, attempt: int | None) -> None:
        """Raises Forbidden if the body contains another task id or attempt than the token: the client confused two
        attempts, or is malicious."""
        principal = self.principal
        if task_id not in (None, principal.task_id) or attempt not in (None, principal.attempt):
            raise Forbidden(
                f"the token is for attempt {principal.attempt} of task {principal.task_id}, but the body names another",
                "send the token of that attempt",
            )


async def open_task_request(request: HttpRequest) -> TaskRequest:
    """Authenticates the attempt by its token and returns its TaskRequest. Raises Unauthorized for a token that Tenuto
    did not sign, and TooManyRequests if the task exceeds its rate limit."""
    pool, settings = request.server.pool, request.server.settings
    text = request.bearer(TOKEN_HINT)
    key_id_of(text)  # raises an error for a malformed token, before any round trip
    public = {key.id: key.public_key for key in await pool.call(keys.list_signing_keys) if key.retired_at is None}
    principal = read_task_token(text, public, now=time.time())
    request.record.principal = ("task", principal.task_id)
    await _admit(pool, principal, settings)
    return TaskRequest(request, principal, pool, settings)


async def _admit(pool: ConnectionPool, principal: TaskPrincipal, settings: ServerSettings) -> None:
    limit = settings.task_limit
    taken = await call_for(
        pool,
        principal.org_id,
        rate_limits.take_tokens,
        timeout=settings.statement_seconds,
        buckets=[f"task:{principal.task_id}"],
        rates=[float(limit.rate)],
        bursts=[float(limit.burst)],
    )
    if not taken.allowed:
        raise TooManyRequests(f"task {principal.task_id}", taken.retry_after)
