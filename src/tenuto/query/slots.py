"""Divides the slots for running queries between orgs."""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from uuid import UUID


class QuerySlots:
    """At most `total` queries run at a time, each in a slot. If there are several slots, one org can use all but one of
    them, so that it alone never makes the first query of another org wait. A free slot goes to the waiting org with the
    fewest slots; of several such orgs, to the one that has waited longest. The queries of one org run in the order in
    which they arrived."""

    def __init__(self, total: int) -> None:
        self._free, self._max_per_org = total, max(1, total - 1)
        self._taken: Counter[UUID] = Counter()
        self._waiting: dict[UUID, deque[asyncio.Future[None]]] = {}  # by org, the one that has waited longest first

    @asynccontextmanager
    async def take(self, org_id: UUID) -> AsyncGenerator[None]:
        """Wait for a slot, and hold it inside of the block."""
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(org_id, deque()).append(turn)
        self._assign_free_slots()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # it got a slot at the same time
                self._release(org_id)
            else:
                self._stop_waiting(org_id, turn)
            raise
        try:
            yield
        finally:
            self._release(org_id)

    def _assign_free_slots(self) -> None:
        """Give the free slots to queries that wait."""
        while self._free:
            ready = [org_id for org_id in self._waiting if self._taken[org_id] < self._max_per_org]
            if not ready:
                return
            org_id = min(ready, key=self._taken.__getitem__)
            turn = self._waiting[org_id].popleft()
            if turns := self._waiting.pop(org_id):
                self._waiting[org_id] = turns  # behind the other orgs
            if not turn.done():
                self._free -= 1
                self._taken[org_id] += 1
                turn.set_result(None)

    def _stop_waiting(self, org_id: UUID, turn: asyncio.Future[None]) -> None:
        turns = self._waiting.get(org_id, deque[asyncio.Future[None]]())
        if turn in turns:
            turns.remove(turn)
            if not turns:
                del self._waiting[org_id]

    def _release(self, org_id: UUID) -> None:
        self._free += 1
        self._taken[org_id] -= 1
        if not self._taken[org_id]:
            del self._taken[org_id]
        self._assign_free_slots()
