"""Long polls: waiting requests hold no database connection."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from typing import Annotated, Protocol, TypeVar
from uuid import UUID

from pydantic import Field

from tenuto.model.errors import RateLimited
from tenuto.model.monitoring import FINAL
from tenuto.server.requests.api import ApiRequest

MIN_PAUSE_SECONDS, MAX_PAUSE_SECONDS, PAUSE_GROWTH = 0.01, 0.5, 1.5  # seconds between two queries
MAX_WAITS, MAX_WORKER_WAITS = 600, 800  # for all orgs together, per process; their sum is less than MAX_REQUESTS

Wait = Annotated[float, Field(ge=0, le=60, description="Seconds to wait for the end of the run or task.")]


class Ending(Protocol):
    @property
    def status(self) -> str: ...


T = TypeVar("T", bound=Ending)
E = TypeVar("E")
F = TypeVar("F")


class TooManyWaiters(RateLimited):
    """The org has too many waiting requests."""

    retry_after = 5.0


class WaiterLimit:
    """Limits the waiting requests of each org in this process. An org can have at most `max_per_org` waiting requests.
    It gets another one only while it has fewer than the server would still accept from all orgs together. Example with
    600 in total and 200 per org: once two orgs have 200 each, the next orgs get 100, 50, 25 …"""

    def __init__(self, max_per_org: int, total: int) -> None:
        self._most, self._left = max_per_org, total
        self._taken: Counter[UUID] = Counter()

    def free(self, org_id: UUID) -> bool:
        return self._taken[org_id] < min(self._most, self._left)

    def check(self, org_id: UUID) -> None:
        """Raises TooManyWaiters if the org is at its limit. Used for clients that would send the request again at once
        if they got an empty response."""
        if not self.free(org_id):
            raise TooManyWaiters(
                "too many requests of the org are waiting on this server",
                "wait for several runs with one request, or try again later",
            )

    @contextmanager
    def take(self, org_id: UUID) -> Generator[None]:
        self._taken[org_id] += 1
        self._left -= 1
        try:
            yield
        finally:
            self._left += 1
            self._taken[org_id] -= 1
            if not self._taken[org_id]:
                del self._taken[org_id]


async def poll_until_any(api_request: ApiRequest, read: Callable[[], Awaitable[list[E]]], wait: float) -> list[E]:
    """Calls `read` until its result is not empty or `wait` seconds have passed. Returns the last result."""
    return await _until(api_request, read, bool, wait)


async def until_ended(api_request: ApiRequest, read: Callable[[], Awaitable[T]], wait: float) -> T:
    """Calls `read` until the run or task has ended or `wait` seconds have passed. Returns the last state."""
    return await _until(api_request, read, lambda state: state.status in FINAL, wait)


async def _until(
    api_request: ApiRequest, read: Callable[[], Awaitable[F]], enough: Callable[[F], bool], wait: float
) -> F:
    """Calls `read` until `enough` accepts its result or `wait` seconds have passed. Stops early when the client
    disconnects or the server shuts down. Calls `read` only once if the org is at its limit of waiting requests."""
    clock = asyncio.get_running_loop().time
    deadline, pause = clock() + wait, MIN_PAUSE_SECONDS
    seats = api_request.http.server.waiters
    if enough(result := await read()) or not wait or not seats.free(api_request.principal.org_id):
        return result
    gone = asyncio.create_task(api_request.http.until_disconnected())
    try:
        with seats.take(api_request.principal.org_id):
            while not (enough(result) or gone.done()) and (left := deadline - clock()) > 0:
                await asyncio.wait({gone}, timeout=min(pause, left))
                pause = min(MAX_PAUSE_SECONDS, pause * PAUSE_GROWTH)
                result = await read()
    finally:
        gone.cancel()
    return result
