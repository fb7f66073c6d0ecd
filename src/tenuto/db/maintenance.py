"""Periodic work on runs and tables: one coroutine per public function that only the dispatcher's loops call."""

from datetime import datetime, timedelta
from uuid import UUID

from tenuto.db.connection.call import Conn, call, call_one, call_value, call_values
from tenuto.model.maintenance import (
    DroppedPartition,
    DueRow,
    DueUpkeep,
    Parked,
    ParkedRow,
    Pruned,
    PrunedLimits,
    SweptLanes,
    SweptLimits,
)
from tenuto.model.run_data import CollectedObject


async def now(conn: Conn) -> datetime:
    return await call_value(conn, "now")


async def take_due_maintenance(
    conn: Conn, *, dispatcher_id: UUID, loops: list[str], installation: str | None = None, store: str | None = None
) -> list[DueUpkeep]:
    return await call(
        conn,
        "take_due_maintenance",
        DueUpkeep,
        dispatcher_id=dispatcher_id,
        loops=loops,
        installation=installation,
        store=store,
    )


async def create_partitions(conn: Conn, *, weeks: int | None = None) -> list[str]:
    return await call_values(conn, "create_partitions", weeks=weeks)


async def drop_partitions(
    conn: Conn, *, keep: timedelta | None = None, dry_run: bool | None = None, keys: list[str] | None = None
) -> list[DroppedPartition]:
    return await call(conn, "drop_partitions", DroppedPartition, keep=keep, dry_run=dry_run, keys=keys)


async def prune_runs(
    conn: Conn, *, limit: int | None = None, dry_run: bool | None = None, keys: list[str] | None = None
) -> Pruned:
    return await call_one(conn, "prune_runs", Pruned, limit=limit, dry_run=dry_run, keys=keys)


async def promote_due(conn: Conn, *, limit: int | None = None, keys: list[str] | None = None) -> int:
    return await call_value(conn, "promote_due", limit=limit, keys=keys)


async def wake_waiting(conn: Conn, *, limit: int | None = None, keys: list[str] | None = None) -> int:
    return await call_value(conn, "wake_waiting", limit=limit, keys=keys)


async def unblock_tasks(conn: Conn, *, limit: int | None = None, keys: list[str] | None = None) -> int:
    return await call_value(conn, "unblock_tasks", limit=limit, keys=keys)


async def set_aside_tasks(conn: Conn, *, limit: int | None = None, keys: list[str] | None = None) -> int:
    return await call_value(conn, "set_aside_tasks", limit=limit, keys=keys)


async def expire_attempts(conn: Conn, *, limit: int | None = None, keys: list[str] | None = None) -> int:
    return await call_value(conn, "expire_attempts", limit=limit, keys=keys)


async def expire_runs(conn: Conn, *, limit: int | None = None, keys: list[str] | None = None) -> int:
    return await call_value(conn, "expire_runs", limit=limit, keys=keys)


async def expire_deadlines(conn: Conn, *, limit: int | None = None, keys: list[str] | None = None) -> int:
    return await call_value(conn, "expire_deadlines", limit=limit, keys=keys)


async def fold_runs(
    conn: Conn, *, limit: int | None = None, run_ids: list[UUID] | None = None, keys: list[str] | None = None
) -> int:
    return await call_value(conn, "fold_runs", limit=limit, run_ids=run_ids, keys=keys)


async def settle_runs(conn: Conn, *, limit: int | None = None, keys: list[str] | None = None) -> int:
    return await call_value(conn, "settle_runs", limit=limit, keys=keys)


async def sweep_cancelled(conn: Conn, *, limit: int | None = None, keys: list[str] | None = None) -> int:
    return await call_value(conn, "sweep_cancelled", limit=limit, keys=keys)


async def sweep_closed(conn: Conn, *, limit: int | None = None, keys: list[str] | None = None) -> int:
    return await call_value(conn, "sweep_closed", limit=limit, keys=keys)


async def relax_placement(conn: Conn, *, limit: int | None = None, keys: list[str] | None = None) -> int:
    return await call_value(conn, "relax_placement", limit=limit, keys=keys)


async def sweep_released(conn: Conn, *, limit: int | None = None, keys: list[str] | None = None) -> int:
    return await call_value(conn, "sweep_released", limit=limit, keys=keys)


async def sweep_tasks(conn: Conn, *, limit: int | None = None, keys: list[str] | None = None) -> int:
    return await call_value(conn, "sweep_tasks", limit=limit, keys=keys)


async def sweep_runs(conn: Conn, *, limit: int | None = None, keys: list[str] | None = None) -> int:
    return await call_value(conn, "sweep_runs", limit=limit, keys=keys)


async def sweep_jobs(conn: Conn, *, limit: int | None = None, keys: list[str] | None = None) -> int:
    return await call_value(conn, "sweep_jobs", limit=limit, keys=keys)


async def advance_requests(conn: Conn, *, limit: int | None = None, keys: list[str] | None = None) -> int:
    return await call_value(conn, "advance_requests", limit=limit, keys=keys)


async def advance_builds(conn: Conn, *, limit: int | None = None, keys: list[str] | None = None) -> int:
    return await call_value(conn, "advance_builds", limit=limit, keys=keys)


async def prune_events(conn: Conn, *, limit: int | None = None, keys: list[str] | None = None) -> int:
    return await call_value(conn, "prune_events", limit=limit, keys=keys)


async def prune_history(conn: Conn, *, limit: int | None = None, keys: list[str] | None = None) -> int:
    return await call_value(conn, "prune_history", limit=limit, keys=keys)


async def watch_backlogs(conn: Conn, *, limit: int | None = None, keys: list[str] | None = None) -> int:
    return await call_value(conn, "watch_backlogs", limit=limit, keys=keys)


async def advance_backfills(conn: Conn, *, limit: int | None = None, keys: list[str] | None = None) -> int:
    return await call_value(conn, "advance_backfills", limit=limit, keys=keys)


async def advance_invalidations(conn: Conn, *, limit: int | None = None, keys: list[str] | None = None) -> int:
    return await call_value(conn, "advance_invalidations", limit=limit, keys=keys)


async def move_floors(conn: Conn, *, from_bottom: bool | None = None) -> int:
    return await call_value(conn, "move_floors", from_bottom=from_bottom)


async def sweep_lanes(conn: Conn, *, keys: list[str] | None = None) -> SweptLanes:
    return await call_one(conn, "sweep_lanes", SweptLanes, keys=keys)


async def sweep_limits(conn: Conn, *, keys: list[str] | None = None) -> SweptLimits:
    return await call_one(conn, "sweep_limits", SweptLimits, keys=keys)


async def prune_limits(
    conn: Conn, *, keep: timedelta | None = None, limit: int | None = None, keys: list[str] | None = None
) -> PrunedLimits:
    return await call_one(conn, "prune_limits", PrunedLimits, keep=keep, limit=limit, keys=keys)


async def follow_arrivals(conn: Conn, *, limit: int | None = None, keys: list[str] | None = None) -> int:
    return await call_value(conn, "follow_arrivals", limit=limit, keys=keys)


async def admit_rates(conn: Conn, *, limit: int | None = None, keys: list[str] | None = None) -> int:
    return await call_value(conn, "admit_rates", limit=limit, keys=keys)


async def roll_up_activity(conn: Conn, *, limit: int | None = None) -> int:
    return await call_value(conn, "roll_up_activity", limit=limit)


async def collect_objects(
    conn: Conn, *, keep: timedelta | None = None, limit: int | None = None, keys: list[str] | None = None
) -> list[CollectedObject]:
    return await call(conn, "collect_objects", CollectedObject, keep=keep, limit=limit, keys=keys)


async def pick_rows(conn: Conn, *, loop: str, limit: int) -> list[DueRow]:
    return await call(conn, "pick_rows", DueRow, loop=loop, limit=limit)


async def park_rows(
    conn: Conn,
    *,
    loop: str,
    keys: list[str],
    org_ids: list[UUID | None],
    run_ids: list[UUID | None],
    task_ids: list[UUID | None],
    errors: list[str],
    sqlstates: list[str | None],
) -> list[Parked]:
    return await call(
        conn,
        "park_rows",
        Parked,
        loop=loop,
        keys=keys,
        org_ids=org_ids,
        run_ids=run_ids,
        task_ids=task_ids,
        errors=errors,
        sqlstates=sqlstates,
    )


async def unpark_rows(conn: Conn, *, loop: str, keys: list[str]) -> int:
    return await call_value(conn, "unpark_rows", loop=loop, keys=keys)


async def take_parked(
    conn: Conn, *, loops: list[str], limit: int | None = None, lease: timedelta | None = None
) -> list[ParkedRow]:
    return await call(conn, "take_parked", ParkedRow, loops=loops, limit=limit, lease=lease)
