"""Tells workers of what requests started, after its commit and for many of them at once: sql/outbox/wake_queues.sql."""

import asyncio
from contextlib import suppress

from tenuto.db import outbox
from tenuto.db.errors import Unreachable
from tenuto.db.pool import Pool

BREATH = 0.01  # seconds in which starts are told of together; who starts something after a pause waits for nobody
LAST = 1.0  # seconds to tell of what was started last


class Bell:
    """Rung for a queue that got work. Who does not hear it looks again soon, so it is rung once and never again."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._queues: set[str] = set()
        self._ringing: asyncio.Task[None] | None = None

    def ring(self, queue: str) -> None:
        self._queues.add(queue)
        if self._ringing is None or self._ringing.done():
            self._ringing = asyncio.create_task(self._ring())

    async def _ring(self) -> None:
        while self._queues:
            queues, self._queues = sorted(self._queues), set()
            with suppress(Unreachable):
                await self._pool.call(outbox.wake_queues, queues=queues)
            await asyncio.sleep(BREATH)

    async def close(self) -> None:
        """Once all was told; who stops while the database is away does not wait for it."""
        if self._ringing is not None:
            await asyncio.wait([self._ringing], timeout=LAST)
            self._ringing.cancel()
