"""Long polls: a request that waits holds no connection while it does."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated, Protocol, TypeVar

from fastapi import Query

SHORTEST, LONGEST, GROWTH = 0.01, 0.5, 1.5  # seconds between two looks
FINAL = frozenset(("completed", "failed", "cancelled", "skipped"))

Wait = Annotated[float, Query(ge=0, le=60, description="Seconds to wait for its end before answering.")]


class Ending(Protocol):
    @property
    def status(self) -> str: ...


T = TypeVar("T", bound=Ending)
E = TypeVar("E")


async def until_some(look: Callable[[], Awaitable[list[E]]], wait: float) -> list[E]:
    """What was found, once that is anything or the time is over."""
    clock = asyncio.get_running_loop().time
    deadline, pause = clock() + wait, SHORTEST
    while not (found := await look()) and (left := deadline - clock()) > 0:
        await asyncio.sleep(min(pause, left))
        pause = min(LONGEST, pause * GROWTH)
    return found


async def until_ended(look: Callable[[], Awaitable[T]], wait: float) -> T:
    """What was looked at, once it has ended or the time is over."""
    clock = asyncio.get_running_loop().time
    deadline, pause = clock() + wait, SHORTEST
    while (found := await look()).status not in FINAL and (left := deadline - clock()) > 0:
        await asyncio.sleep(min(pause, left))
        pause = min(LONGEST, pause * GROWTH)
    return found
