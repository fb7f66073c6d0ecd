"""The table of loops. Every one is safe on every dispatcher: rows are locked and skipped, or guarded by a key."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from tenuto.db import audit, identity, monitoring, upkeep, workers
from tenuto.db.call import Conn
from tenuto.db.heads import sign_heads
from tenuto.db.outbox import prune_effects
from tenuto.db.pool import Pool
from tenuto.db.vacuum import vacuum_hot_tables
from tenuto.dispatcher.effects import HANDLERS, Handler, drain_outbox
from tenuto.dispatcher.loop import Loop
from tenuto.dispatcher.parking import Turn, Work, is_of_a_row, serve_apart, split
from tenuto.dispatcher.schedules import fire_schedules
from tenuto.model.keys import Peppers
from tenuto.model.metrics import OLDEST_READY, OUTBOX, TASKS_OPEN, WORKERS
from tenuto.model.upkeep import DueRow
from tenuto.storage.base import StorageProblem, Store

MINUTE, HOUR = 60.0, 3600.0
BATCH_SECONDS = 5.0  # for a batch of rows; what takes longer is served in pieces

log = logging.getLogger("tenuto.dispatcher")


@dataclass
class Dispatcher:
    """One process that runs the loops: who it is, and how it reaches the database."""

    id: UUID
    pool: Pool
    owner_pool: Pool  # not in the dispatcher's role: its login may be allowed to vacuum
    address: str
    port: int  # where it can be asked for metrics; 0 is nowhere
    org_id: UUID | None = None  # the org that those are of
    store: Store | None = None  # where large data objects lie
    peppers: Peppers | None = None  # which open the key that signs
    handlers: Mapping[str, Handler] = field(default_factory=lambda: HANDLERS)
    floors_moved: int = 0


Step = Callable[[Dispatcher, int], Awaitable[int]]

# Each takes `limit` and `keys`, and leaves out what is parked unless it is named.
ROW_FUNCTIONS: dict[str, Callable[..., Awaitable[Any]]] = {
    "promote_due": upkeep.promote_due,
    "settle_runs": upkeep.settle_runs,
}


def batches_of(function: Callable[..., Awaitable[Any]]) -> Step:
    """A step of a function that takes a limit and answers what it moved."""

    async def step(dispatcher: Dispatcher, limit: int) -> int:
        return _rows(await dispatcher.pool.call(function, limit=limit))

    return step


def rows_of(loop: str, *, seconds: float = BATCH_SECONDS) -> Step:
    """A step of a function that can also be told which rows to work on: what fails in a batch is served apart."""

    async def step(dispatcher: Dispatcher, limit: int) -> int:
        try:
            async with dispatcher.pool.connection(timeout=seconds) as conn:
                return _rows(await ROW_FUNCTIONS[loop](conn, limit=limit))
        except Exception as error:
            if not is_of_a_row(error):
                raise
            return await serve_apart(dispatcher.pool, loop, work_of(loop), limit=limit, error=error)

    return step


def work_of(loop: str) -> Work:
    """Works on the rows of a loop that have these keys, parked or not."""

    async def work(conn: Conn, keys: list[str]) -> None:
        await ROW_FUNCTIONS[loop](conn, limit=len(keys), keys=keys)

    return work


def whole(function: Callable[..., Awaitable[Any]]) -> Step:
    """A step of a function that does all there is in one call."""

    async def step(dispatcher: Dispatcher, _: int) -> int:
        return _rows(await dispatcher.pool.call(function))

    return step


def _rows(answer: Any) -> int:
    if isinstance(answer, int):
        return answer
    if isinstance(answer, list):
        return len(answer)
    return max(vars(answer).values())  # several counts: the batch was full if one of them was


async def move_floors(dispatcher: Dispatcher, _: int) -> int:
    """Every twentieth time from the bottom, for what committed late with a low number."""
    dispatcher.floors_moved += 1
    return await dispatcher.pool.call(upkeep.move_floors, from_bottom=dispatcher.floors_moved % 20 == 0)


async def sweep_cancelled(dispatcher: Dispatcher, limit: int) -> int:
    """Says that it moved nothing: it comes back to the same requests for as long as their tasks run, at its leisure."""
    await dispatcher.pool.call(upkeep.sweep_cancelled, limit=limit)
    return 0


async def beat_dispatcher(dispatcher: Dispatcher, _: int) -> int:
    beat = {"id": dispatcher.id, "address": dispatcher.address, "port": dispatcher.port}
    await dispatcher.pool.call(workers.beat_dispatcher, **beat)
    return 0


async def drain(dispatcher: Dispatcher, limit: int) -> int:
    return await drain_outbox(dispatcher.pool, dispatcher.handlers, owner=str(dispatcher.id), limit=limit)


async def fire(dispatcher: Dispatcher, limit: int) -> int:
    return await fire_schedules(dispatcher.pool, limit=limit)


async def vacuum(dispatcher: Dispatcher, _: int) -> int:
    return await dispatcher.owner_pool.call(vacuum_hot_tables)


async def collect_objects(dispatcher: Dispatcher, limit: int) -> int:
    """What no row names any more is deleted from the store; what another store holds is left to it."""
    gone = await dispatcher.pool.call(upkeep.collect_objects, limit=limit)
    for one in gone:
        if one.uri is None or dispatcher.store is None:
            continue
        try:
            await asyncio.to_thread(dispatcher.store.delete, one.uri)
        except (StorageProblem, OSError) as problem:
            log.warning("object %s is gone, but not what it named: %s", one.id, problem)
    return len(gone)


async def sign(dispatcher: Dispatcher, limit: int) -> int:
    """Ends of audit chains, once a minute each."""
    if dispatcher.peppers is None:
        return 0
    return await dispatcher.pool.call(sign_heads, dispatcher.peppers, limit=limit)


async def measure(dispatcher: Dispatcher, _: int) -> int:
    """For whoever scrapes: how the org is."""
    if dispatcher.org_id is not None:
        seen = await dispatcher.pool.call(monitoring.overview, org_id=dispatcher.org_id)
        for state in ("ready", "delayed", "waiting", "pending", "running"):
            TASKS_OPEN.labels(state).set(getattr(seen, state))
        OLDEST_READY.set(seen.oldest_ready_seconds or 0)
        for status in ("starting", "active", "draining", "error"):
            WORKERS.labels(status).set(seen.workers.get(status, 0))
        OUTBOX.labels("pending").set(seen.outbox_pending)
        OUTBOX.labels("dead").set(seen.outbox_dead)
    return 0


async def retry_parked(dispatcher: Dispatcher, limit: int) -> int:
    """Try parked rows again whose pause is over, each org's apart from the others'."""
    taken = await dispatcher.pool.call(upkeep.take_parked, loops=list(ROW_FUNCTIONS), limit=limit)
    for loop in {one.loop for one in taken}:
        rows = [DueRow(one.key, one.org_id, one.run_id, one.task_id, one.failures) for one in taken if one.loop == loop]
        await Turn(dispatcher.pool, loop, work_of(loop)).serve(split(rows))
    return len(taken)


def loops_of(dispatcher: Dispatcher) -> list[Loop[Dispatcher]]:
    """Those it has a use for: with no handler here effects are for others, however long they have been due."""
    useless = set() if dispatcher.handlers else {"drain_outbox"}
    useless |= set() if dispatcher.port else {"measure"}
    useless |= set() if dispatcher.peppers else {"sign_heads"}
    return [loop for loop in LOOPS if loop.name not in useless]


LOOPS: list[Loop[Dispatcher]] = [
    Loop("beat_dispatcher", beat_dispatcher, every=10.0),
    Loop("promote_due", rows_of("promote_due"), batch=1000),
    Loop("wake_waiting", batches_of(upkeep.wake_waiting), batch=1000),
    Loop("expire_sessions", batches_of(workers.expire_sessions), batch=1000),
    Loop("expire_attempts", batches_of(upkeep.expire_attempts), batch=5000, every=20.0),
    Loop("expire_deadlines", batches_of(upkeep.expire_deadlines), batch=5000),
    Loop("fold_runs", batches_of(upkeep.fold_runs), batch=1000),
    Loop("settle_runs", rows_of("settle_runs"), batch=100),
    Loop("sweep_cancelled", sweep_cancelled, batch=100),
    Loop("admit_rates", batches_of(upkeep.admit_rates), batch=1000),
    Loop("fire_schedules", fire, batch=100),
    Loop("drain_outbox", drain, batch=100),
    Loop("retry_parked", retry_parked, batch=100),
    Loop("seal_audit", batches_of(audit.seal_audit), batch=1000),
    Loop("sign_heads", sign, batch=100, every=MINUTE / 4),
    Loop("move_floors", move_floors, every=0.25, at_rest=10.0),
    Loop("measure", measure, every=5.0),
    Loop("vacuum", vacuum, every=2.0, at_rest=10.0),
    Loop("sweep_lanes", whole(upkeep.sweep_lanes), every=30.0),
    Loop("sweep_limits", whole(upkeep.sweep_limits), every=30.0),
    Loop("create_partitions", whole(upkeep.create_partitions), every=HOUR),
    Loop("drop_partitions", whole(upkeep.drop_partitions), every=HOUR),
    Loop("prune_runs", batches_of(upkeep.prune_runs), batch=1000, every=5 * MINUTE),
    Loop("prune_workers", batches_of(workers.prune_workers), batch=1000, every=HOUR),
    Loop("prune_limits", batches_of(upkeep.prune_limits), batch=1000, every=HOUR),
    Loop("prune_effects", batches_of(prune_effects), batch=10_000, every=5 * MINUTE),
    Loop("prune_identity", batches_of(identity.prune_identity), batch=1000, every=5 * MINUTE),
    Loop("collect_objects", collect_objects, batch=1000, every=5 * MINUTE),
]
