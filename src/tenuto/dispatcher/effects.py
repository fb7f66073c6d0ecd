"""Carries out side effects: each kind has one handler. Other processes carry out the kinds for which this process has
no handler."""

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta

from tenuto.db import outbox
from tenuto.db.connection.call import Conn
from tenuto.db.connection.pool import ConnectionPool
from tenuto.dispatcher.parking import Turn, is_of_a_row, split
from tenuto.model.maintenance import DueRow
from tenuto.model.metrics import EFFECTS
from tenuto.model.outbox import Effect

LEASE = timedelta(minutes=1)  # after this time another dispatcher may take the effect
MAX_CONCURRENT = 256  # effects that one dispatcher handles at a time; the database allows 16 per org
HANDLER_SECONDS = 40.0  # per effect; longer than any delivery, shorter than the lease
CLOSE_SECONDS = 3.0  # how long a dispatcher that stops waits for effects in progress

log = logging.getLogger("tenuto.dispatcher")


class BatchHandler(ABC):
    """Handles several effects of one kind in one transaction, which also marks them as done."""

    @abstractmethod
    async def handle(self, pool: ConnectionPool, owner: str, ids: list[int]) -> None: ...


Handler = Callable[[ConnectionPool, Effect], Awaitable[None]] | BatchHandler


class EffectRunner:
    """Handles effects concurrently. A turn of the loop does not wait for the effects of earlier turns, so that a slow
    receiver delays only its own effects."""

    def __init__(self, pool: ConnectionPool, handlers: Mapping[str, Handler], *, owner: str) -> None:
        self._pool, self._handlers, self._owner = pool, handlers, owner
        self._running: set[asyncio.Task[None]] = set()

    async def take(self, limit: int) -> int:
        """Takes up to `limit` effects, as far as MAX_CONCURRENT allows, and begins to handle them. Returns how many. If
        recording the result of an earlier effect failed, raises that error; the effect is handled again when its lease
        has expired."""
        self._check_ended()
        room = min(limit, MAX_CONCURRENT - len(self._running))
        if room <= 0:
            return 0
        taken = await self._pool.call(
            outbox.take_effects, owner=self._owner, kinds=list(self._handlers), limit=room, lease=LEASE
        )
        for kind, handler in self._handlers.items():
            effects = [effect for effect in taken if effect.kind == kind]
            if not isinstance(handler, BatchHandler):
                self._running |= {asyncio.create_task(self._handle(effect, handler)) for effect in effects}
            elif effects:
                self._running.add(asyncio.create_task(self._handle_batch(effects, handler)))
        return len(taken)

    async def finish(self) -> None:
        """Wait until all effects that were taken are handled."""
        if self._running:
            await asyncio.wait(self._running)
        self._check_ended()

    async def close(self) -> None:
        """Waits a few seconds for effects in progress. Effects that take longer are cancelled, and another dispatcher
        handles them again."""
        if self._running:
            _, late = await asyncio.wait(self._running, timeout=CLOSE_SECONDS)
            for task in late:
                task.cancel()

    def _check_ended(self) -> None:
        ended = {task for task in self._running if task.done()}
        self._running -= ended
        errors = [error for task in ended if (error := task.exception())]
        if errors:
            raise errors[0]

    async def _handle(self, effect: Effect, handler: Callable[[ConnectionPool, Effect], Awaitable[None]]) -> None:
        error = None
        try:
            async with asyncio.timeout(HANDLER_SECONDS):
                await handler(self._pool, effect)
        except Exception as problem:  # any error of a handler is stored with its effect
            error = f"{type(problem).__name__}: {problem}"
        await self._report(effect, error)

    async def _handle_batch(self, effects: list[Effect], handler: BatchHandler) -> None:
        """Handles effects together. If that fails because of one effect, handles each effect alone, so that the failing
        one does not stop the others."""
        try:
            async with asyncio.timeout(HANDLER_SECONDS):
                await handler.handle(self._pool, self._owner, [effect.id for effect in effects])
            EFFECTS.labels(effects[0].kind, "done").inc(len(effects))
        except Exception as problem:
            if not is_of_a_row(problem):
                raise
            if len(effects) == 1:
                await self._report(effects[0], f"{type(problem).__name__}: {problem}")
                return
            for effect in effects:
                await self._handle_batch([effect], handler)

    async def _report(self, effect: Effect, error: str | None) -> None:
        async def report(conn: Conn, _: list[str]) -> None:
            if error is None:
                await outbox.finish_effects(conn, owner=self._owner, ids=[effect.id])
                EFFECTS.labels(effect.kind, "done").inc()
                return
            failed = await outbox.fail_effects(conn, owner=self._owner, ids=[effect.id], errors=[error])
            dead = any(row.status == "dead" for row in failed)
            EFFECTS.labels(effect.kind, "dead" if dead else "failed").inc()
            if dead:
                log.error("effect %s of kind %s is dead after %s attempts: %s",
                          effect.id, effect.kind, effect.attempts, error)  # fmt: skip

        keys = [str(effect.id)]
        try:
            await self._pool.call(report, keys)
        except Exception as problem:
            if not is_of_a_row(problem):
                raise
            rows = [DueRow(keys[0], effect.org_id, None, None)]
            await Turn(self._pool, "drain_outbox", report).serve(split(rows))
