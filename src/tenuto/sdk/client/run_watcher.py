"""Waiting for runs to end: one question for all that wait, asked less and less often."""

import asyncio
from collections.abc import Iterable
from uuid import UUID

from tenuto.db.connection.errors import Unreachable
from tenuto.model.monitoring import RunResult
from tenuto.sdk.client.transport import Transport

SHORTEST, LONGEST, GROWTH = 0.005, 0.5, 1.5
BATCH = 1000
STOPPED = "nobody asks any more how the run ended: the client was closed, or its task was cancelled by other code"


class Watcher:
    """The runs that somebody of this client waits for."""

    def __init__(self, link: Transport) -> None:
        self._link = link
        self._waiting: dict[UUID, set[asyncio.Future[RunResult]]] = {}
        self._asking: asyncio.Task[None] | None = None
        self._pause = SHORTEST
        self._joined = asyncio.Event()

    async def ended(self, run_id: UUID) -> RunResult:
        """How the run ended, once it has."""
        future: asyncio.Future[RunResult] = asyncio.get_running_loop().create_future()
        waiting = self._waiting.setdefault(run_id, set())
        waiting.add(future)
        self._pause = SHORTEST
        self._joined.set()
        if self._asking is None or self._asking.done():
            self._asking = asyncio.create_task(self._ask(), name="tenuto watcher")
            self._asking.add_done_callback(self._stopped)
        try:
            return await future
        finally:
            waiting.discard(future)
            if not waiting and self._waiting.get(run_id) is waiting:
                del self._waiting[run_id]

    def _stopped(self, asking: "asyncio.Task[None]") -> None:
        """Whoever still waits must not wait for ever; a newer task asks for those who came after this one."""
        if asking is self._asking:
            self._give_up(Unreachable(STOPPED))

    async def close(self) -> None:
        """Nobody waits any more."""
        if self._asking is not None:
            self._asking.cancel()
            await asyncio.gather(self._asking, return_exceptions=True)

    async def _ask(self) -> None:
        failures = 0
        while self._waiting:
            self._joined.clear()
            ids, told = list(self._waiting), 0
            try:
                for start in range(0, len(ids), BATCH):
                    ends = await self._poll(ids[start : start + BATCH])
                    self._tell(ends)
                    told += len(ends)
                failures = 0
            except Unreachable as error:
                # A server that restarts comes back: only the second try in a row is the truth.
                failures += 1
                if failures > 1:
                    self._give_up(error)
                    return
            except Exception as error:
                self._give_up(error)
                return
            if not (self._patience and told):  # a server that stops answers at once, with nothing
                await self._rest()

    @property
    def _patience(self) -> float:
        return self._link.patience if len(self._waiting) <= BATCH else 0  # else the last batch would wait for the first

    async def _poll(self, ids: list[UUID]) -> list[RunResult]:
        """What the other side says of them; where it waits for an end, whoever joins ends that."""
        if not self._patience:
            return await self._link.poll_runs(ids, 0)
        asking = asyncio.create_task(self._link.poll_runs(ids, self._patience))
        joined = asyncio.create_task(self._joined.wait())
        try:
            await asyncio.wait({asking, joined}, return_when=asyncio.FIRST_COMPLETED)
            return asking.result() if asking.done() else []
        finally:
            for one in (asking, joined):
                one.cancel()
            await asyncio.gather(asking, joined, return_exceptions=True)

    async def _rest(self) -> None:
        try:
            async with asyncio.timeout(self._pause):  # wait_for of Python 3.11 can swallow a cancellation
                await self._joined.wait()
        except TimeoutError:
            self._pause = min(LONGEST, self._pause * GROWTH)

    def _tell(self, ends: Iterable[RunResult]) -> None:
        for end in ends:
            for future in self._waiting.pop(end.run_id, set()):
                if not future.done():
                    future.set_result(end)

    def _give_up(self, error: Exception) -> None:
        waiting, self._waiting = self._waiting, {}
        for future in (one for futures in waiting.values() for one in futures):
            if not future.done():
                future.set_exception(error)
