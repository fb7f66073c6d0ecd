"""Long polls: a request that waits holds no connection while it does."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated, Protocol, TypeVar

from fastapi import Query, Request

from tenuto.server.stopping import until_gone

SHORTEST, LONGEST, GROWTH = 0.01, 0.5, 1.5  # seconds between two looks
FINAL = frozenset(("completed", "failed", "cancelled", "skipped"))

Wait = Annotated[float, Query(ge=0, le=60, description="Seconds to wait for its end before answering.")]


class Ending(Protocol):
    @property
    def status(self) -> str: ...


T = TypeVar("T", bound=Ending)
E = TypeVar("E")
F = TypeVar("F")


async def until_some(request: Request, look: Callable[[], Awaitable[list[E]]], wait: float) -> list[E]:
    """What was found, once that is anything or the time is over."""
    return await _until(request, look, bool, wait)


async def until_ended(request: Request, look: Callable[[], Awaitable[T]], wait: float) -> T:
    """What was looked at, once it has ended or the time is over."""
    return await _until(request, look, lambda found: found.status in FINAL, wait)


async def _until(request: Request, look: Callable[[], Awaitable[F]], enough: Callable[[F], bool], wait: float) -> F:
    """Looks no more when nobody waits for the answer, or the server stops."""
    clock = asyncio.get_running_loop().time
    deadline, pause = clock() + wait, SHORTEST
    if enough(found := await look()) or not wait:
        return found
    gone = asyncio.create_task(until_gone(request))
    try:
        while not (enough(found) or gone.done()) and (left := deadline - clock()) > 0:
            await asyncio.wait({gone}, timeout=min(pause, left))
            pause = min(LONGEST, pause * GROWTH)
            found = await look()
    finally:
        gone.cancel()
    return found
