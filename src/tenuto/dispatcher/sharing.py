"""Which loops this dispatcher runs: each is run by one dispatcher at a time, and by another when that one died."""

import time
from uuid import UUID

from tenuto.db import workers
from tenuto.db.pool import Pool

RENEW_EVERY = 0.6  # of a lease of 2 s: one late answer loses nothing


class HeldLoops:
    """The leases of one dispatcher."""

    def __init__(self, pool: Pool, id: UUID, shared: list[str], own: list[str]) -> None:
        self._pool, self._id, self._shared, self._own = pool, id, shared, frozenset(own)
        self._held: frozenset[str] = frozenset()
        self._asked = 0.0

    async def look(self) -> frozenset[str]:
        """Those that it holds, and those that every dispatcher runs."""
        now = time.monotonic()
        if not self._held or now - self._asked >= RENEW_EVERY:
            taken = await self._pool.call(workers.take_loops, dispatcher_id=self._id, loops=self._shared)
            self._held = frozenset(taken)
            self._asked = now
        return self._held | self._own

    @property
    def stands_by(self) -> bool:
        return not self._held
