"""Where the work of a running attempt's request is done: fenced by the attempt that its token speaks of."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Annotated, Any
from uuid import UUID

from fastapi import Depends, Request

from tenuto.db import keys, rate_limits, remote_workers
from tenuto.db.connection.call import Conn
from tenuto.db.connection.org_transactions import call_for, transaction_for
from tenuto.db.connection.pool import ConnectionPool
from tenuto.model.errors import Forbidden, StaleLease
from tenuto.model.principals import TaskPrincipal
from tenuto.model.remote_workers import HeldTask
from tenuto.model.task_tokens import TOKEN_HINT, key_id_of, read_task_token
from tenuto.server.auth.bearer import TooManyRequests, bearer, remember_principal
from tenuto.server.settings import ServerSettings


@dataclass(frozen=True)
class AttemptTransaction:
    """A transaction of an attempt: `fence` is what the kernel's functions ask for."""

    conn: Conn
    principal: TaskPrincipal
    fence: dict[str, Any]
    cancelled: bool

    @property
    def fences(self) -> dict[str, Any]:
        """The same for functions that take many."""
        one = self.fence
        session = {"session_id": one["session_id"], "token": one["token"]}
        return {**session, "task_ids": [one["task_id"]], "attempts": [one["attempt"]]}

    async def task(self) -> HeldTask:
        """The task as its worker got it."""
        held = await remote_workers.get_held_task(
            self.conn, org_id=self.principal.org_id, task_id=self.principal.task_id
        )
        if held.attempt != self.principal.attempt:
            raise self.stale()  # taken back and claimed again between two looks
        return held

    def stale(self) -> StaleLease:
        who = self.principal
        return StaleLease(
            f"attempt {who.attempt} of task {who.task_id} is not held any more",
            "stop working on it: another worker has it, or it has ended",
        )


@dataclass(frozen=True)
class TaskRequest:
    """One request of one attempt."""

    request: Request
    principal: TaskPrincipal
    pool: ConnectionPool
    settings: ServerSettings

    @asynccontextmanager
    async def fenced(self, *, held: bool = True) -> AsyncIterator[AttemptTransaction]:
        """A transaction while the attempt is held. Not `held`: for ends, whose repetition gets its answer again."""
        who = self.principal
        async with transaction_for(self.pool, who.org_id, timeout=self.settings.statement_seconds) as conn:
            attempt = {"task_id": who.task_id, "attempt": who.attempt}
            found = await remote_workers.find_fence(
                conn, org_id=who.org_id, **attempt, session_id=who.session_id, held=None if held else False
            )
            fence = {"session_id": who.session_id, "token": found.token, **attempt}
            yield AttemptTransaction(conn, who, fence, found.cancelled)

    def check_named(self, task_id: UUID | None, attempt: int | None) -> None:
        """A body that names another attempt than the token is refused: somebody mixed them up, or worse."""
        who = self.principal
        if task_id not in (None, who.task_id) or attempt not in (None, who.attempt):
            raise Forbidden(
                f"the token is for attempt {who.attempt} of task {who.task_id}, and the body names another",
                "send each attempt's own token",
            )


async def open_task_desk(request: Request) -> TaskRequest:
    """A desk for the attempt whose token was sent; what was not signed by us gets no further."""
    pool, settings = request.app.state.pool, request.app.state.settings
    text = bearer(request, TOKEN_HINT)
    key_id_of(text)  # what cannot be a token costs no round trip
    public = {one.id: one.public_key for one in await pool.call(keys.list_signing_keys) if one.retired_at is None}
    who = read_task_token(text, public, now=time.time())
    remember_principal(request, "task", who.task_id)
    await _admit(pool, who, settings)
    return TaskRequest(request, who, pool, settings)


async def _admit(pool: ConnectionPool, who: TaskPrincipal, settings: ServerSettings) -> None:
    limit = settings.task_limit
    taken = await call_for(
        pool,
        who.org_id,
        rate_limits.take_tokens,
        timeout=settings.statement_seconds,
        buckets=[f"task:{who.task_id}"],
        rates=[float(limit.rate)],
        bursts=[float(limit.burst)],
    )
    if not taken.allowed:
        raise TooManyRequests(f"task {who.task_id}", taken.retry_after)


async def _desk(request: Request) -> TaskRequest:
    return request.scope["tenuto.desk"]


AtTaskDesk = Annotated[TaskRequest, Depends(_desk)]
