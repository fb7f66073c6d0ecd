"""The table of loops. Several dispatchers can run the same loop at once: `skip locked` or a unique key prevents that
two of them process the same row."""

import time
from collections.abc import Awaitable, Callable

from tenuto.db import installation, maintenance, workers
from tenuto.db.connection.call import Conn
from tenuto.db.vacuum import vacuum_hot_tables
from tenuto.dispatcher.dispatcher import Dispatcher
from tenuto.dispatcher.loop import Loop
from tenuto.dispatcher.object_files import delete_collected
from tenuto.dispatcher.org_metrics import MEASURE_SECONDS, update_metrics
from tenuto.dispatcher.parking import Turn, Work, is_of_a_row, serve_apart, split
from tenuto.dispatcher.row_functions import ROW_FUNCTIONS
from tenuto.dispatcher.staging import collect_staging
from tenuto.model.maintenance import DueRow
from tenuto.runtimes.local_processes import this_host

MINUTE, HOUR = 60.0, 3600.0
BATCH_SECONDS = 5.0  # per batch of rows; the rows of a batch that takes longer are processed in smaller batches
LONG_SECONDS = 30.0  # for batches that may take longer, because they block nothing
MANY = 10_000  # for loops that process all due rows at once: how many are tried one by one if that fails
FROM_BOTTOM_EVERY = 3.5  # loops are randomized by 20 %; even then every task is found within 5 s

BatchFunction = Callable[[Dispatcher, int], Awaitable[int]]


def rows_of(loop: str, *, seconds: float = BATCH_SECONDS) -> BatchFunction:
    """Return the function that processes one batch of a loop's rows. If a batch fails because of a row, its rows are
    processed in smaller batches."""

    async def step(dispatcher: Dispatcher, limit: int) -> int:
        try:
            async with dispatcher.pool.connection(timeout=seconds) as conn:
                return await ROW_FUNCTIONS[loop](dispatcher, conn, limit, None)
        except Exception as error:
            if not is_of_a_row(error):
                raise
            return await serve_apart(dispatcher.pool, loop, work_of(dispatcher, loop), limit=limit, error=error)

    return step


def work_of(dispatcher: Dispatcher, loop: str) -> Work:
    """Return a function that processes the rows of a loop with the given keys, even if they are parked."""

    async def work(conn: Conn, keys: list[str]) -> None:
        await ROW_FUNCTIONS[loop](dispatcher, conn, len(keys), keys)

    return work


async def create_partitions(dispatcher: Dispatcher, _: int) -> int:
    return len(await dispatcher.pool.call(maintenance.create_partitions))


async def move_floors(dispatcher: Dispatcher, _: int) -> int:
    """Moves the floors of lanes and lines. Every few seconds it searches from the lowest position, to find tasks with a
    low position that were committed late."""
    now = time.monotonic()
    from_bottom = now - dispatcher.looked_from_bottom >= FROM_BOTTOM_EVERY
    if from_bottom:
        dispatcher.looked_from_bottom = now
    return await dispatcher.pool.call(maintenance.move_floors, from_bottom=from_bottom)


def pieces_of(loop: str) -> BatchFunction:
    """Return the step of a loop that processes up to `limit` pieces of large work, each in its own transaction."""
    step = rows_of(loop, seconds=LONG_SECONDS)

    async def steps(dispatcher: Dispatcher, limit: int) -> int:
        for pieces in range(limit):
            if not await step(dispatcher, 1):
                return pieces
        return limit

    return steps


async def sweep_cancelled(dispatcher: Dispatcher, limit: int) -> int:
    """Repeats cancellations that still have unfinished tasks. Always returns 0, so that no other batch follows at
    once."""
    await rows_of("sweep_cancelled")(dispatcher, limit)
    return 0


async def beat_dispatcher(dispatcher: Dispatcher, _: int) -> int:
    """Sends a heartbeat, records the object store, and reports whether the database is a copy, on which this dispatcher
    does nothing."""
    id, address, port = dispatcher.id, dispatcher.address, dispatcher.port
    pool, root = dispatcher.pool, dispatcher.store_root
    await pool.call(workers.beat_dispatcher, id=id, address=address, port=port)
    found = await pool.call(installation.get_installation, installation=dispatcher.installation, store=root)
    dispatcher.adoption.check(found)
    if found.copy_problem is None and root is not None and root not in found.stores:
        await pool.call(installation.record_store, root=root)
    return 0


async def end_leases(dispatcher: Dispatcher, _: int) -> int:
    """Ends the leases of workers on this host whose processes have ended, however they ended: other workers get their
    tasks at once."""
    return await dispatcher.local_workers.end_leases(dispatcher.pool)


async def drain(dispatcher: Dispatcher, limit: int) -> int:
    try:
        return await dispatcher.effects.take(limit)
    except Exception as error:
        if not is_of_a_row(error):
            raise
        work = work_of(dispatcher, "drain_outbox")
        return await serve_apart(dispatcher.pool, "drain_outbox", work, limit=limit, error=error)


async def control_pools(dispatcher: Dispatcher, _: int) -> int:
    return await dispatcher.fleet.step()


async def vacuum(dispatcher: Dispatcher, _: int) -> int:
    return await dispatcher.owner_pool.call(vacuum_hot_tables)


async def collect_objects(dispatcher: Dispatcher, limit: int) -> int:
    """Deletes the rows of unreferenced data objects, then their files in the store. While the store does not respond,
    no more rows are deleted."""
    await delete_collected(dispatcher.store, dispatcher.collected)
    moved = await rows_of("collect_objects", seconds=LONG_SECONDS)(dispatcher, limit)
    await delete_collected(dispatcher.store, dispatcher.collected)
    return moved


async def measure(dispatcher: Dispatcher, _: int) -> int:
    await update_metrics(dispatcher.pool, dispatcher.org_id)
    return 0


async def roll_up_activity(dispatcher: Dispatcher, _: int) -> int:
    return await dispatcher.pool.call(maintenance.roll_up_activity)


async def retry_parked(dispatcher: Dispatcher, limit: int) -> int:
    """Retries parked rows whose pause is over. Rows of different orgs are processed separately where possible."""
    taken = await dispatcher.pool.call(maintenance.take_parked, loops=list(ROW_FUNCTIONS), limit=limit)
    for loop in {row.loop for row in taken}:
        due = [DueRow(row.key, row.org_id, row.run_id, row.task_id, row.failures) for row in taken if row.loop == loop]
        await Turn(dispatcher.pool, loop, work_of(dispatcher, loop)).serve(split(due))
    if any(row.loop == "collect_objects" for row in taken):
        await delete_collected(dispatcher.store, dispatcher.collected)
    return len(taken)


def loops_of(dispatcher: Dispatcher) -> list[Loop[Dispatcher]]:
    """Return the loops that this dispatcher can run. Without handlers, for example, other dispatchers handle the
    effects."""
    useless: set[str] = set() if dispatcher.handlers else {"drain_outbox"}
    useless |= set() if dispatcher.port else {"measure"}
    useless |= set() if dispatcher.peppers else {"sign_heads"}
    useless |= set() if dispatcher.providers else {"control_pools"}
    useless |= set() if this_host() else {"end_leases"}
    return [loop for loop in LOOPS if loop.name not in useless]


LOOPS: list[Loop[Dispatcher]] = [
    Loop("beat_dispatcher", beat_dispatcher, every=10.0, alone=False),
    Loop("end_leases", end_leases, every=0.5, alone=False),
    Loop("control_pools", control_pools, every=1.0, alone=False),
    Loop("promote_due", rows_of("promote_due"), batch=1000),
    Loop("wake_waiting", rows_of("wake_waiting"), batch=1000),
    Loop("unblock_tasks", rows_of("unblock_tasks"), batch=1000),
    Loop("expire_sessions", rows_of("expire_sessions"), batch=1000),
    Loop("expire_workers", rows_of("expire_workers"), batch=1000, every=30.0),
    Loop("expire_attempts", rows_of("expire_attempts"), batch=5000, every=20.0),
    Loop("expire_deadlines", rows_of("expire_deadlines"), batch=5000),
    Loop("expire_runs", rows_of("expire_runs"), batch=100),
    Loop("relax_placement", rows_of("relax_placement"), batch=1000),
    Loop("fold_runs", rows_of("fold_runs"), batch=1000),
    Loop("settle_runs", rows_of("settle_runs"), batch=100),
    Loop("sweep_cancelled", sweep_cancelled, batch=100),
    Loop("sweep_closed", rows_of("sweep_closed"), batch=100),
    Loop("sweep_released", rows_of("sweep_released"), batch=100),
    Loop("follow_arrivals", rows_of("follow_arrivals"), batch=1000),
    Loop("admit_rates", rows_of("admit_rates"), batch=1000),
    Loop("advance_requests", pieces_of("advance_requests"), batch=20),
    Loop("advance_builds", pieces_of("advance_builds"), batch=20),
    Loop("watch_backlogs", pieces_of("watch_backlogs"), batch=1000, every=5.0),
    Loop("advance_backfills", pieces_of("advance_backfills"), batch=20),
    Loop("advance_invalidations", pieces_of("advance_invalidations"), batch=20),
    Loop("evaluate_alerts", rows_of("evaluate_alerts"), batch=100, every=30.0),
    Loop("emit_running", rows_of("emit_running"), batch=1000, every=5.0, at_rest=20.0),
    Loop("fire_schedules", rows_of("fire_schedules", seconds=LONG_SECONDS), batch=500),
    Loop("drain_outbox", drain, batch=100),
    Loop("retry_parked", retry_parked, batch=100),
    Loop("seal_audit", rows_of("seal_audit", seconds=LONG_SECONDS), batch=1000),
    Loop("sign_heads", rows_of("sign_heads", seconds=LONG_SECONDS), batch=100, every=MINUTE / 4),
    Loop("move_floors", move_floors, every=0.25, at_rest=FROM_BOTTOM_EVERY),
    Loop("measure", measure, every=MEASURE_SECONDS, alone=False),
    Loop("roll_up_activity", roll_up_activity, every=10.0, at_rest=30.0, upkeep=True),
    Loop("vacuum", vacuum, every=2.0, at_rest=10.0),
    Loop("set_aside_tasks", rows_of("set_aside_tasks"), batch=1000, every=30.0),
    Loop("sweep_lanes", rows_of("sweep_lanes", seconds=LONG_SECONDS), batch=MANY, every=30.0, upkeep=True),
    Loop("sweep_limits", rows_of("sweep_limits", seconds=LONG_SECONDS), batch=MANY, every=30.0, upkeep=True),
    Loop("sweep_tasks", rows_of("sweep_tasks"), batch=1000, every=30.0, upkeep=True),
    Loop("sweep_runs", rows_of("sweep_runs"), batch=1000, every=30.0, upkeep=True),
    Loop("sweep_jobs", rows_of("sweep_jobs"), batch=100, every=30.0, upkeep=True),
    Loop("create_partitions", create_partitions, every=HOUR),
    Loop("drop_partitions", rows_of("drop_partitions", seconds=LONG_SECONDS), batch=MANY, every=HOUR, upkeep=True),
    Loop("prune_runs", rows_of("prune_runs", seconds=LONG_SECONDS), batch=1000, every=5 * MINUTE, upkeep=True),
    Loop("prune_workers", rows_of("prune_workers", seconds=LONG_SECONDS), batch=1000, every=HOUR, upkeep=True),
    Loop("prune_limits", rows_of("prune_limits", seconds=LONG_SECONDS), batch=1000, every=HOUR, upkeep=True),
    Loop("prune_events", rows_of("prune_events", seconds=LONG_SECONDS), batch=1000, every=5 * MINUTE, upkeep=True),
    Loop("prune_effects", rows_of("prune_effects", seconds=LONG_SECONDS), batch=10_000, every=5 * MINUTE, upkeep=True),
    Loop("prune_history", rows_of("prune_history", seconds=LONG_SECONDS), batch=1000, every=5 * MINUTE, upkeep=True),
    Loop("prune_identity", rows_of("prune_identity", seconds=LONG_SECONDS), batch=1000, every=5 * MINUTE, upkeep=True),
    Loop("collect_objects", collect_objects, batch=1000, every=5 * MINUTE, upkeep=True),
    Loop("collect_staging", collect_staging, batch=100, every=5 * MINUTE, upkeep=True),
]
