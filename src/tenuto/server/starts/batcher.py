"""Batches concurrent starts that are alike: one SQL call for all of them costs little more than a call for one
start."""

import asyncio
import logging
from dataclasses import dataclass
from uuid import UUID

from tenuto.db import runs
from tenuto.db.connection.call import Actor
from tenuto.db.connection.errors import TimedOut
from tenuto.db.connection.pool import ConnectionPool
from tenuto.model.audit import RequestOrigin
from tenuto.model.errors import InvalidInput, TooLarge
from tenuto.model.ids import uuid7
from tenuto.sdk.client.start_request import StartRequest, details_json

MAX_BATCH_STARTS = 100  # per SQL call
MAX_BATCH_CHARS = 1_000_000  # of inputs and details per SQL call; a start with more has a call of its own
SHUTDOWN_SECONDS = 1.0  # how long a server that stops waits for the last starts

log = logging.getLogger("tenuto.server")


@dataclass(frozen=True)
class BatchKey:
    """The values that all starts of a batch have in common: the caller, and all options of the start except its
    input."""

    actor: Actor
    org_id: UUID
    actor_kind: str
    actor_id: str
    kinds: str
    group: str | None
    changes: str


@dataclass(frozen=True)
class QueuedStart:
    """One queued start. `origin`: the client of its request. `run_id`: receives the id of the run. `until`: when it
    times out."""

    request: StartRequest
    origin: RequestOrigin
    run_id: asyncio.Future[UUID]
    size: int
    until: float


class StartBatcher:
    """If several starts are alike, sends the first one immediately. The starts that arrive before its call has ended
    share the next call."""

    def __init__(self, pool: ConnectionPool, seconds: float) -> None:
        self._pool, self._seconds = pool, seconds
        self._waiting: dict[BatchKey, list[QueuedStart]] = {}
        self._turns: set[asyncio.Task[None]] = set()

    async def start(self, alike: BatchKey, request: StartRequest, origin: RequestOrigin) -> UUID:
        """Returns the id of the run when workers are notified and the run is on disk. Raises TimedOut if the start did
        not get its turn in time."""
        loop = asyncio.get_running_loop()
        size = len(request.inputs[0]) + len(details_json([request]) or "")
        queued = QueuedStart(request, origin, loop.create_future(), size, until=loop.time() + self._seconds)
        if alike in self._waiting:
            self._waiting[alike].append(queued)
        else:
            self._waiting[alike] = [queued]
            turns = asyncio.create_task(self._run(alike))
            self._turns.add(turns)
            turns.add_done_callback(self._turns.discard)
        return await queued.run_id

    async def close(self) -> None:
        """Waits until all queued starts are done, at most SHUTDOWN_SECONDS, because the database may be unreachable.
        Then cancels the starts that are left."""
        if self._turns:
            await asyncio.wait(self._turns, timeout=SHUTDOWN_SECONDS)
        for turns in self._turns:
            turns.cancel()
        for start in (start for waiting in self._waiting.values() for start in waiting):
            start.run_id.cancel()

    async def _run(self, alike: BatchKey) -> None:
        waiting = self._waiting[alike]
        going: list[QueuedStart] = []
        try:
            while waiting:
                going = _take(waiting)
                await self._start(alike, going)
        except Exception as problem:
            log.exception("starts could not be sent to the database; their requests fail")
            _refuse([*going, *waiting], problem)
        finally:
            del self._waiting[alike]
            for start in (*going, *waiting):
                start.run_id.cancel()

    async def _start(self, alike: BatchKey, starts: list[QueuedStart]) -> None:
        starts = self._in_time(starts)
        try:
            ids = await self._call(alike, starts) if starts else []
        except (InvalidInput, TooLarge) as problem:
            if len(starts) == 1:
                _refuse(starts, problem)
                return
        except Exception as problem:  # the requests of this batch fail with any other error; the next batch may succeed
            _refuse(starts, problem)
            return
        else:
            for start, id in zip(starts, ids, strict=True):
                if not start.run_id.done():
                    start.run_id.set_result(id)
            return
        half = len(starts) // 2  # try each half alone, so that an invalid start does not fail the others of its batch
        await self._start(alike, starts[:half])
        await self._start(alike, starts[half:])

    def _in_time(self, starts: list[QueuedStart]) -> list[QueuedStart]:
        """Returns the starts whose requests still wait for a result. Starts that waited too long fail with TimedOut."""
        now = asyncio.get_running_loop().time()
        late = [start for start in starts if start.until < now]
        _refuse(late, TimedOut(f"the start did not get its turn within {self._seconds:.15g} s"))
        return [start for start in starts if not start.run_id.done()]

    async def _call(self, alike: BatchKey, starts: list[QueuedStart]) -> list[UUID]:
        ids = [uuid7() for _ in starts]
        requests = [start.request for start in starts]
        async with self._pool.connection(timeout=self._seconds, org_id=alike.org_id) as conn:
            await runs.start_for_requests(
                conn,
                **alike.actor.named(),
                kinds=alike.kinds,
                inputs=[request.inputs[0] for request in requests],
                ids=ids,
                changes=alike.changes,
                actor_kind=alike.actor_kind,
                actor_id=alike.actor_id,
                ips=[start.origin.ip for start in starts],
                user_agents=[start.origin.user_agent for start in starts],
                request_ids=[start.origin.request_id for start in starts],
                details=details_json(requests),
                group=alike.group,
            )
        return [UUID(id) for id in ids]


def _take(waiting: list[QueuedStart]) -> list[QueuedStart]:
    """Removes and returns the next batch, in the order of arrival."""
    count, size = 0, 0
    for start in waiting[:MAX_BATCH_STARTS]:
        size += start.size
        if count and size > MAX_BATCH_CHARS:
            break
        count += 1
    taken = waiting[:count]
    del waiting[:count]
    return taken


def _refuse(starts: list[QueuedStart], problem: Exception) -> None:
    for start in starts:
        if not start.run_id.done():
            start.run_id.set_exception(problem)
