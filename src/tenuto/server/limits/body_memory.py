"""Limits the memory of large request bodies per org: the bytes that are held and the values that are parsed at a time.

A body of many small values takes 30 times its size in memory when it is parsed, and 100 times in Postgres.
"""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from uuid import UUID

from tenuto.model.errors import RateLimited

FREE_VALUES = 20_000  # a body with fewer values needs no turn


class BodyMemoryExceeded(RateLimited):
    """The org has too many large bodies in progress."""

    retry_after = 1.0


class BodyMemoryLimit:
    """Counts the bytes of large bodies that are being received or processed, per org. Small bodies are not counted."""

    def __init__(self, max_bytes: int) -> None:
        self._most = max_bytes
        self._held: Counter[UUID] = Counter()

    @contextmanager
    def hold(self, org_id: UUID, size: int) -> Generator[None]:
        """Reserves memory for a body of this size during the block. Raises BodyMemoryExceeded if the org would exceed
        its limit."""
        if self._held[org_id] + size > self._most:
            limit = f"{self._most // 1024 // 1024} MB"
            raise BodyMemoryExceeded(
                f"your org is sending more than {limit} to this server at once",
                "try again in 1 s, or send less at a time",
            )
        self._held[org_id] += size
        try:
            yield
        finally:
            self._held[org_id] -= size
            if not self._held[org_id]:
                del self._held[org_id]


class Turns:
    """Limits the number of values that each org has in progress at a time, first come, first served. A request with
    more values than the limit runs alone; a request with few values needs no turn."""

    def __init__(self, max_values: int, *, seconds: float) -> None:
        self._max_values, self._seconds = max_values, seconds
        self._taken: Counter[UUID] = Counter()
        self._waiting: dict[UUID, deque[tuple[int, asyncio.Future[None]]]] = {}

    @asynccontextmanager
    async def take(self, org_id: UUID, values: int) -> AsyncGenerator[None]:
        """Holds a turn of the org during the block. Waits for the turn at most as long as a bulk statement may take.
        Raises BodyMemoryExceeded if the turn does not come in this time."""
        if values <= FREE_VALUES:
            yield
            return
        weight = min(values, self._max_values)
        await self._enter(org_id, weight)
        try:
            yield
        finally:
            self._leave(org_id, weight)

    async def _enter(self, org_id: UUID, weight: int) -> None:
        waiting = self._waiting.setdefault(org_id, deque())
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        waiting.append((weight, turn))
        self._call_next(org_id)
        try:
            await asyncio.wait_for(asyncio.shield(turn), self._seconds)
        except BaseException as error:
            if turn.done():
                self._leave(org_id, weight)
            else:
                turn.cancel()
                self._call_next(org_id)
            if isinstance(error, TimeoutError):
                message = f"the request waited more than {self._seconds:.15g} s for other large requests of your org"
                raise BodyMemoryExceeded(message, "try again later, or send less at a time") from error
            raise

    def _leave(self, org_id: UUID, weight: int) -> None:
        self._taken[org_id] -= weight
        self._call_next(org_id)

    def _call_next(self, org_id: UUID) -> None:
        waiting = self._waiting.get(org_id, deque())
        while waiting:
            weight, turn = waiting[0]
            if not turn.cancelled():
                if self._taken[org_id] + weight > self._max_values:
                    return
                self._taken[org_id] += weight
                turn.set_result(None)
            waiting.popleft()
        self._waiting.pop(org_id, None)
        if not self._taken[org_id]:
            del self._taken[org_id]
