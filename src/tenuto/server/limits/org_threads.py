"""Runs work of requests in threads, one piece per org at a time, so that no org delays the work of the others."""

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar
from uuid import UUID

from tenuto.model.errors import RateLimited

MAX_THREADS = 4  # while all of them compute, another request waits about 20 ms longer
MAX_WAITING = 100  # pieces of work per org

T = TypeVar("T")


class TooMuchWork(RateLimited):
    """The org has too many requests that wait for a thread."""

    retry_after = 1.0


class OrgThreads:
    """Threads for work that takes long and waits for nothing, such as parsing. Orgs get them in turn: an org waits for
    its own pieces, and for at most one piece of each other org."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(MAX_THREADS, "tenuto-org-work")
        self._waiting: dict[UUID, deque[asyncio.Future[None]]] = {}  # has a key for each org whose work is running

    async def run(self, org_id: UUID, work: Callable[[], T]) -> T:
        """Runs `work` in a thread and returns its result. Raises TooMuchWork if too many pieces of the org wait."""
        await self._take_turn(org_id)
        loop = asyncio.get_running_loop()
        try:
            running = self._threads.submit(work)
        except BaseException:
            self._end_turn(org_id)
            raise
        running.add_done_callback(partial(self._ended, loop, org_id))  # the turn ends even if the request is cancelled
        return await asyncio.wrap_future(running)

    async def _take_turn(self, org_id: UUID) -> None:
        if (waiting := self._waiting.get(org_id)) is None:
            self._waiting[org_id] = deque()
            return
        if len(waiting) >= MAX_WAITING:
            raise TooMuchWork(
                f"{MAX_WAITING} requests of your org wait until their input or document is checked", "try again in 1 s"
            )
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        waiting.append(turn)
        try:
            await turn
        except BaseException:
            if turn.done() and not turn.cancelled():
                self._end_turn(org_id)
            raise

    def _ended(self, loop: asyncio.AbstractEventLoop, org_id: UUID, _: "Future[Any]") -> None:
        with suppress(RuntimeError):  # the server has stopped
            loop.call_soon_threadsafe(self._end_turn, org_id)

    def _end_turn(self, org_id: UUID) -> None:
        waiting = self._waiting[org_id]
        while waiting:
            turn = waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        del self._waiting[org_id]

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
