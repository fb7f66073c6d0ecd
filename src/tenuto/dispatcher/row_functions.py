"""The functions of the loops that process rows: all due rows, or only the rows with given keys."""

import logging
from collections.abc import Awaitable, Callable, Sized
from datetime import timedelta

from tenuto.db import alerts, audit, identity, lineage, maintenance, outbox, workers
from tenuto.db.audit_signing import sign_heads
from tenuto.db.connection.call import Conn
from tenuto.dispatcher.dispatcher import Dispatcher
from tenuto.dispatcher.schedules import fire_schedules

NO_TIME = timedelta(0)
STRANDED = "{} that waited although nothing was left to wait for, and now continue: %d"

log = logging.getLogger("tenuto.dispatcher")
RowFunction = Callable[[Dispatcher, Conn, int, list[str] | None], Awaitable[int]]


def _rows(result: object) -> int:
    if isinstance(result, int):
        return result
    if isinstance(result, Sized):
        return len(result)
    return max(vars(result).values())  # with several counts, the batch was full if one of them reached the limit


async def collect(dispatcher: Dispatcher, conn: Conn, limit: int, keys: list[str] | None) -> int:
    gone = await maintenance.collect_objects(conn, limit=limit, keys=keys)
    dispatcher.collected += gone
    return len(gone)


async def sign(dispatcher: Dispatcher, conn: Conn, limit: int, keys: list[str] | None) -> int:
    """Sign the heads of audit chains, each chain at most once per minute."""
    peppers = dispatcher.peppers
    return 0 if peppers is None else await sign_heads(conn, peppers, limit=limit, keys=keys)


async def take_again(dispatcher: Dispatcher, conn: Conn, limit: int, keys: list[str] | None) -> int:
    """Tests whether effects that were parked, because they could not be taken, can be taken now. The lease ends at
    once, so that the next turn of the loop takes and handles them."""
    owner, kinds = str(dispatcher.id), list(dispatcher.handlers)
    return len(await outbox.take_effects(conn, owner=owner, kinds=kinds, limit=limit, lease=NO_TIME, keys=keys))


def rows(function: Callable[..., Awaitable[object]], *, warning: str = "") -> RowFunction:
    """Wrap a database function with the parameters `limit` and `keys`. `warning`: a message that is logged with the
    number of rows, if there are any."""

    async def work(_: Dispatcher, conn: Conn, limit: int, keys: list[str] | None) -> int:
        if (count := _rows(await function(conn, limit=limit, keys=keys))) and warning:
            log.warning(warning, count)
        return count

    return work


def all_rows(function: Callable[..., Awaitable[object]]) -> RowFunction:
    """Wrap a database function that processes all due rows, or only the rows with the given `keys`."""

    async def work(_: Dispatcher, conn: Conn, __: int, keys: list[str] | None) -> int:
        return _rows(await function(conn, keys=keys))

    return work


# Each function processes due rows, or only the rows with the given keys. Parked rows are skipped unless their key is
# given.
ROW_FUNCTIONS: dict[str, RowFunction] = {
    "promote_due": rows(maintenance.promote_due),
    "wake_waiting": rows(maintenance.wake_waiting),
    "unblock_tasks": rows(maintenance.unblock_tasks),
    "set_aside_tasks": rows(maintenance.set_aside_tasks),
    "expire_sessions": rows(workers.expire_sessions, warning="worker processes whose lease expired: %d"),
    "expire_workers": rows(workers.expire_workers, warning="workers that did not start, fell silent or failed: %d"),
    "expire_attempts": rows(maintenance.expire_attempts, warning="tasks lost with their worker: %d"),
    "expire_deadlines": rows(maintenance.expire_deadlines),
    "expire_runs": rows(maintenance.expire_runs),
    "relax_placement": rows(maintenance.relax_placement),
    "fold_runs": rows(maintenance.fold_runs),
    "settle_runs": rows(maintenance.settle_runs),
    "sweep_cancelled": rows(maintenance.sweep_cancelled),
    "sweep_closed": rows(maintenance.sweep_closed),
    "sweep_released": rows(maintenance.sweep_released),
    "follow_arrivals": rows(maintenance.follow_arrivals),
    "admit_rates": rows(maintenance.admit_rates),
    "advance_requests": rows(maintenance.advance_requests),
    "advance_builds": rows(maintenance.advance_builds),
    "watch_backlogs": rows(maintenance.watch_backlogs),
    "advance_backfills": rows(maintenance.advance_backfills),
    "advance_invalidations": rows(maintenance.advance_invalidations),
    "fire_schedules": rows(fire_schedules),
    "evaluate_alerts": rows(alerts.evaluate_alerts),
    "emit_running": rows(lineage.emit_running),
    "drain_outbox": take_again,
    "sweep_lanes": all_rows(maintenance.sweep_lanes),
    "sweep_limits": all_rows(maintenance.sweep_limits),
    "sweep_tasks": rows(maintenance.sweep_tasks, warning=STRANDED.format("tasks")),
    "sweep_runs": rows(maintenance.sweep_runs, warning=STRANDED.format("runs")),
    "sweep_jobs": rows(maintenance.sweep_jobs),
    "seal_audit": rows(audit.seal_audit),
    "sign_heads": sign,
    "drop_partitions": all_rows(maintenance.drop_partitions),
    "prune_runs": rows(maintenance.prune_runs),
    "prune_workers": rows(workers.prune_workers),
    "prune_limits": rows(maintenance.prune_limits),
    "prune_effects": rows(outbox.prune_effects),
    "prune_events": rows(maintenance.prune_events),
    "prune_history": rows(maintenance.prune_history),
    "prune_identity": rows(identity.prune_identity),
    "collect_objects": collect,
}
