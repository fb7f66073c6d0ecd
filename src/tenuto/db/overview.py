"""Reads the status of an org in three calls on one connection."""

from uuid import UUID

from tenuto.db import monitoring
from tenuto.db.connection.call import Conn
from tenuto.db.installation import get_installation
from tenuto.model.overview import OrgStatus

RATE_SECONDS = 5.0  # the period over which the rate of ended attempts is measured


async def get_status(conn: Conn, *, org_id: UUID, installation: str | None = None) -> OrgStatus:
    """Return the numbers of an org, how many of its attempts ended per second recently, and whether the database is a
    copy. `installation`: TENUTO_INSTALLATION."""
    overview = await monitoring.get_overview(conn, org_id=org_id)
    found = await get_installation(conn, installation=installation)
    ended = await monitoring.count_ended(conn, org_id=org_id, seconds=RATE_SECONDS)
    return OrgStatus(
        ready=overview.ready,
        delayed=overview.delayed,
        waiting=overview.waiting,
        pending=overview.pending,
        running=overview.running,
        oldest_ready_seconds=overview.oldest_ready_seconds,
        per_second=ended / RATE_SECONDS,
        workers=overview.workers,
        dispatchers=overview.dispatchers,
        failed_last_minute=overview.failed_last_minute,
        lost_last_minute=overview.lost_last_minute,
        outbox_pending=overview.outbox_pending,
        outbox_dead=overview.outbox_dead,
        parked=overview.parked,
        blocked=overview.blocked,
        completed=overview.completed,
        failed=overview.failed,
        cancelled=overview.cancelled,
        skipped=overview.skipped,
        health=overview.health,
        stuck_tasks=overview.stuck_tasks,
        rolled_up_until=overview.rolled_up_until,
        oldest_effect_seconds=overview.oldest_effect_seconds,
        copy_problem=found.copy_problem,
    )
