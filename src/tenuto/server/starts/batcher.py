"""Starts that are alike and come at once go together: one call for all of them costs little more than for one."""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from tenuto.db import runs
from tenuto.db.connection.errors import TimedOut
from tenuto.db.connection.org_transactions import Actor
from tenuto.db.connection.pool import ConnectionPool
from tenuto.model.errors import InvalidInput, TooLarge
from tenuto.model.ids import uuid7
from tenuto.sdk.client.start_request import StartRequest, details_of

MAX_BATCH_STARTS = 100  # starts in one call
MAX_BATCH_CHARS = 1_000_000  # characters said of them in one call, or one that says more
SHUTDOWN_SECONDS = 1.0  # seconds to start what came last

log = logging.getLogger("tenuto.server")


@dataclass(frozen=True)
class BatchKey:
    """What starts that go together have in common: who asks for them, and all that is said of them but their inputs."""

    acts: Actor
    org_id: UUID
    actor_kind: str
    actor_id: str
    kinds: str
    group: str | None
    changes: str


@dataclass(frozen=True)
class QueuedStart:
    """One start that waits for its turn; `seen` is where its request came from."""

    plan: StartRequest
    seen: Mapping[str, str | None]
    answer: asyncio.Future[UUID]
    size: int
    until: float


class StartBatcher:
    """Of those that are alike the first goes at once; who comes while it is under way goes with all others of them."""

    def __init__(self, pool: ConnectionPool, seconds: float) -> None:
        self._pool, self._seconds = pool, seconds
        self._waiting: dict[BatchKey, list[QueuedStart]] = {}
        self._turns: set[asyncio.Task[None]] = set()

    async def start(self, alike: BatchKey, plan: StartRequest, seen: Mapping[str, str | None]) -> UUID:
        """The run, once workers were told and the disk has it."""
        loop = asyncio.get_running_loop()
        size = len(plan.inputs[0]) + len(details_of([plan]) or "")
        asked = QueuedStart(plan, seen, loop.create_future(), size, until=loop.time() + self._seconds)
        if alike in self._waiting:
            self._waiting[alike].append(asked)
        else:
            self._waiting[alike] = [asked]
            turns = asyncio.create_task(self._run(alike))
            self._turns.add(turns)
            turns.add_done_callback(self._turns.discard)
        return await asked.answer

    async def close(self) -> None:
        """Once all is started; who stops while the database is away does not wait for it."""
        if self._turns:
            await asyncio.wait(self._turns, timeout=SHUTDOWN_SECONDS)
        for turns in self._turns:
            turns.cancel()
        for one in (one for waiting in self._waiting.values() for one in waiting):
            one.answer.cancel()

    async def _run(self, alike: BatchKey) -> None:
        waiting = self._waiting[alike]
        going: list[QueuedStart] = []
        try:
            while waiting:
                going = _take(waiting)
                await self._start(alike, going)
        except Exception as problem:
            log.exception("starts could not be sent to the database; their requests are refused")
            _refuse([*going, *waiting], problem)
        finally:
            del self._waiting[alike]
            for one in (*going, *waiting):
                one.answer.cancel()

    async def _start(self, alike: BatchKey, asked: list[QueuedStart]) -> None:
        asked = self._in_time(asked)
        try:
            ids = await self._call(alike, asked) if asked else []
        except (InvalidInput, TooLarge) as problem:
            if len(asked) == 1:
                _refuse(asked, problem)
                return
        except Exception as problem:  # whatever it is: whoever waits is told, and the next ones may do better
            _refuse(asked, problem)
            return
        else:
            for one, id in zip(asked, ids, strict=True):
                if not one.answer.done():
                    one.answer.set_result(id)
            return
        half = len(asked) // 2  # nobody is refused for what another sent
        await self._start(alike, asked[:half])
        await self._start(alike, asked[half:])

    def _in_time(self, asked: list[QueuedStart]) -> list[QueuedStart]:
        """Those whose turn came in time; who went away meanwhile starts nothing."""
        now = asyncio.get_running_loop().time()
        late = [one for one in asked if one.until < now]
        _refuse(late, TimedOut(f"the start did not get its turn within {self._seconds:g} s"))
        return [one for one in asked if not one.answer.done()]

    async def _call(self, alike: BatchKey, asked: list[QueuedStart]) -> list[UUID]:
        ids = [uuid7() for _ in asked]
        plans = [one.plan for one in asked]
        async with self._pool.connection(timeout=self._seconds, org_id=alike.org_id) as conn:
            await runs.start_for_requests(
                conn,
                **alike.acts.named(),
                kinds=alike.kinds,
                inputs=[plan.inputs[0] for plan in plans],
                ids=ids,
                changes=alike.changes,
                actor_kind=alike.actor_kind,
                actor_id=alike.actor_id,
                ips=[one.seen["ip"] for one in asked],
                user_agents=[one.seen["user_agent"] for one in asked],
                request_ids=[one.seen["request_id"] for one in asked],
                details=details_of(plans),
                group=alike.group,
            )
        return [UUID(id) for id in ids]


def _take(waiting: list[QueuedStart]) -> list[QueuedStart]:
    """Those that go next, in the order they came."""
    count, size = 0, 0
    for one in waiting[:MAX_BATCH_STARTS]:
        size += one.size
        if count and size > MAX_BATCH_CHARS:
            break
        count += 1
    taken = waiting[:count]
    del waiting[:count]
    return taken


def _refuse(asked: list[QueuedStart], problem: Exception) -> None:
    for one in asked:
        if not one.answer.done():
            one.answer.set_exception(problem)
