"""Settles what requests started, many at once: workers are told, then the disk has it, then they are answered."""

import asyncio

from tenuto.db import outbox
from tenuto.db.pool import Pool

LAST = 1.0  # seconds to settle what was started last


class Settler:
    """For queues that got work, after commits that did not wait for the disk. Whoever comes while one round is under
    way waits for the next: that one begins after their commit."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._queues: set[str] = set()
        self._next: asyncio.Future[None] | None = None
        self._rounds: asyncio.Task[None] | None = None

    async def settle(self, queue: str) -> None:
        """Until workers were told and the disk has it."""
        self._queues.add(queue)
        if self._next is None:
            self._next = asyncio.get_running_loop().create_future()
        if self._rounds is None or self._rounds.done():
            self._rounds = asyncio.create_task(self._run())
        await asyncio.shield(self._next)

    async def _run(self) -> None:
        while self._next is not None:
            queues, settled = sorted(self._queues), self._next
            self._queues, self._next = set(), None
            try:
                await self._pool.call(outbox.settle_starts, queues=queues)
            except Exception as problem:  # whatever it is: whoever waits is told, and the next round may do better
                settled.set_exception(problem)
                settled.exception()  # seen, though nobody may wait for it any more
            except asyncio.CancelledError:
                settled.cancel()
                raise
            else:
                settled.set_result(None)

    async def close(self) -> None:
        """Once all is settled; who stops while the database is away does not wait for it."""
        if self._rounds is not None:
            await asyncio.wait([self._rounds], timeout=LAST)
            self._rounds.cancel()
        if self._next is not None:
            self._next.cancel()
