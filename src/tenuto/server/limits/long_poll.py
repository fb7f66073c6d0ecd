"""Long polls: a request that waits holds no connection while it does."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Protocol, TypeVar
from uuid import UUID

from fastapi import Query

from tenuto.model.errors import RateLimited
from tenuto.server.http.shutdown import until_disconnected
from tenuto.server.requests.api import ApiRequest

SHORTEST, LONGEST, GROWTH = 0.01, 0.5, 1.5  # seconds between two looks
MAX_WAITS, MAX_WORKER_WAITS = 600, 800  # of all orgs in a process; together less than it answers at a time
FINAL = frozenset(("completed", "failed", "cancelled", "skipped"))

Wait = Annotated[float, Query(ge=0, le=60, description="Seconds to wait for its end before answering.")]


class Ending(Protocol):
    @property
    def status(self) -> str: ...


T = TypeVar("T", bound=Ending)
E = TypeVar("E")
F = TypeVar("F")


class TooManyWaiters(RateLimited):
    """An org has as many requests that wait as one may."""

    retry_after = 5.0


class WaiterLimit:
    """Requests that wait in this process, by org. An org may have `most` of them, and never more than are left for all
    others: of 600, one org has 200; once two have 200 each, the next ones have 100, 50, 25 …"""

    def __init__(self, most: int, total: int) -> None:
        self._most, self._left = most, total
        self._taken: Counter[UUID] = Counter()

    def free(self, org_id: UUID) -> bool:
        return self._taken[org_id] < min(self._most, self._left)

    def check(self, org_id: UUID) -> None:
        """For those who would ask again at once if they were answered without waiting."""
        if not self.free(org_id):
            raise TooManyWaiters(
                "too many requests of the org wait here", "listen once for several, or ask again later"
            )

    @contextmanager
    def take(self, org_id: UUID) -> Iterator[None]:
        self._taken[org_id] += 1
        self._left -= 1
        try:
            yield
        finally:
            self._left += 1
            self._taken[org_id] -= 1
            if not self._taken[org_id]:
                del self._taken[org_id]


async def poll_until_any(desk: ApiRequest, look: Callable[[], Awaitable[list[E]]], wait: float) -> list[E]:
    """What was found, once that is anything or the time is over."""
    return await _until(desk, look, bool, wait)


async def until_ended(desk: ApiRequest, look: Callable[[], Awaitable[T]], wait: float) -> T:
    """What was looked at, once it has ended or the time is over."""
    return await _until(desk, look, lambda found: found.status in FINAL, wait)


async def _until(desk: ApiRequest, look: Callable[[], Awaitable[F]], enough: Callable[[F], bool], wait: float) -> F:
    """Looks no more when nobody waits for the answer, or the server stops; and but once where no seat is free."""
    clock = asyncio.get_running_loop().time
    deadline, pause = clock() + wait, SHORTEST
    seats: WaiterLimit = desk.request.app.state.seats
    if enough(found := await look()) or not wait or not seats.free(desk.principal.org_id):
        return found
    gone = asyncio.create_task(until_disconnected(desk.request))
    try:
        with seats.take(desk.principal.org_id):
            while not (enough(found) or gone.done()) and (left := deadline - clock()) > 0:
                await asyncio.wait({gone}, timeout=min(pause, left))
                pause = min(LONGEST, pause * GROWTH)
                found = await look()
    finally:
        gone.cancel()
    return found
