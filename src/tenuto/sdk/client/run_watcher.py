"""Waits for runs to end. One query asks for the runs of all waiting callers, and is repeated with growing pauses."""

import asyncio
import time
from collections.abc import Iterable
from uuid import UUID

from tenuto.db.connection.errors import Unreachable
from tenuto.db.connection.forks import abandon, renew_after_fork
from tenuto.model.monitoring import RunResult
from tenuto.sdk.client.transport import Transport

MIN_PAUSE_SECONDS, MAX_PAUSE_SECONDS, PAUSE_GROWTH = 0.005, 0.5, 1.5
MAX_OUTAGE_SECONDS = 60.0  # callers without a shorter timeout get an error then
BATCH = 1000
STOPPED = "the result of the run is no longer watched: the client was closed, or other code cancelled its asyncio task"


class Watcher:
    """Tracks the runs that callers of this client wait for."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._start_over()
        renew_after_fork(self)

    def renew(self) -> None:
        """Forget the waiting callers and the polling task, which belong to the parent process. Called in a forked
        child."""
        abandon(self._polling, self._waiting)
        self._start_over()

    def _start_over(self) -> None:
        self._waiting: dict[UUID, set[asyncio.Future[RunResult]]] = {}
        self._polling: asyncio.Task[None] | None = None
        self._pause = MIN_PAUSE_SECONDS
        self._joined = asyncio.Event()

    async def ended(self, run_id: UUID) -> RunResult:
        """Wait until the run has ended and return its result."""
        if self._polling is not None and self._polling.get_loop().is_closed():
            self._start_over()
        future: asyncio.Future[RunResult] = asyncio.get_running_loop().create_future()
        waiting = self._waiting.setdefault(run_id, set())
        waiting.add(future)
        self._pause = MIN_PAUSE_SECONDS
        self._joined.set()
        if self._polling is None or self._polling.done():
            self._polling = asyncio.create_task(self._poll_until_ended(), name="tenuto watcher")
            self._polling.add_done_callback(self._stopped)
        try:
            return await future
        finally:
            waiting.discard(future)
            if not waiting and self._waiting.get(run_id) is waiting:
                del self._waiting[run_id]

    def _stopped(self, polling: "asyncio.Task[None]") -> None:
        """Fail the remaining callers, who would otherwise wait forever. If a newer polling task has been started, do
        nothing: it serves the callers."""
        if polling is self._polling:
            self._give_up(Unreachable(STOPPED))

    async def close(self) -> None:
        """Stop polling."""
        if self._polling is not None and self._polling.get_loop() is asyncio.get_running_loop():
            self._polling.cancel()
            await asyncio.gather(self._polling, return_exceptions=True)

    async def _poll_until_ended(self) -> None:
        unreachable_since: float | None = None
        while self._waiting:
            self._joined.clear()
            ids, reported = list(self._waiting), 0
            try:
                for start in range(0, len(ids), BATCH):
                    ends = await self._poll(ids[start : start + BATCH])
                    self._resolve(ends)
                    reported += len(ends)
                unreachable_since = None
            except Unreachable as error:  # the server may be restarting, or a standby may take over
                now = time.monotonic()
                unreachable_since = unreachable_since or now
                if now - unreachable_since > MAX_OUTAGE_SECONDS:
                    self._give_up(error)
                    return
            except Exception as error:
                self._give_up(error)
                return
            # Pause even after a long poll if it had no results: a server that shuts down responds at once, without
            # results.
            if not (self._poll_seconds and reported):
                await self._rest()

    @property
    def _poll_seconds(self) -> float:
        # If the ids need more than one request, the server must not wait in each: the last request would wait for the
        # first.
        return self._transport.poll_seconds if len(self._waiting) <= BATCH else 0

    async def _poll(self, ids: list[UUID]) -> list[RunResult]:
        """Return the runs that have ended. A long poll is cut short when another caller joins."""
        if not self._poll_seconds:
            return await self._transport.poll_runs(ids, 0)
        polling = asyncio.create_task(self._transport.poll_runs(ids, self._poll_seconds))
        joined = asyncio.create_task(self._joined.wait())
        try:
            await asyncio.wait({polling, joined}, return_when=asyncio.FIRST_COMPLETED)
            return polling.result() if polling.done() else []
        finally:
            for pending in (polling, joined):
                pending.cancel()
            await asyncio.gather(polling, joined, return_exceptions=True)

    async def _rest(self) -> None:
        try:
            async with asyncio.timeout(self._pause):  # not wait_for, which can swallow a cancellation in Python 3.11
                await self._joined.wait()
        except TimeoutError:
            self._pause = min(MAX_PAUSE_SECONDS, self._pause * PAUSE_GROWTH)

    def _resolve(self, ends: Iterable[RunResult]) -> None:
        for end in ends:
            for future in self._waiting.pop(end.id, set()):
                if not future.done():
                    future.set_result(end)

    def _give_up(self, error: Exception) -> None:
        waiting, self._waiting = self._waiting, {}
        for future in [future for futures in waiting.values() for future in futures]:
            if not future.done():
                future.set_exception(error)
