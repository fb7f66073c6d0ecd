"""Schedules with their fire times. Python computes the times from cron expressions, and SQL compares them with the
clock."""

from datetime import datetime
from typing import Any
from uuid import UUID

from tenuto.db import maintenance, reactions
from tenuto.db.connection.call import Conn
from tenuto.model.cron import fire_after
from tenuto.model.schedules import Schedule, ScheduleChange, ScheduleUpdate


async def resume(conn: Conn, *, org_id: UUID, name: str) -> datetime:
    """Resume a paused schedule, and return its next time. Raises Conflict if another caller changes the schedule at the
    same time."""
    schedule = await reactions.get_schedule(conn, org_id=org_id, name=name)
    cron, timezone = schedule.cron, schedule.timezone
    next_at = fire_after(cron, timezone, await maintenance.now(conn))
    await reactions.resume_schedule(conn, org_id=org_id, name=name, next_at=next_at, cron=cron, timezone=timezone)
    return next_at


async def update(conn: Conn, *, org_id: UUID, name: str, changes: ScheduleUpdate) -> tuple[Schedule, Schedule]:
    """Change a schedule, and return the old and the new schedule. Raises Conflict if another caller changes it at the
    same time."""
    old = await reactions.get_schedule(conn, org_id=org_id, name=name)
    cron, timezone = changes.cron or old.cron, changes.timezone or old.timezone
    new = await reactions.update_schedule(
        conn,
        org_id=org_id,
        name=name,
        old_cron=old.cron,
        old_timezone=old.timezone,
        next_at=fire_after(cron, timezone, await maintenance.now(conn)),
        cron=changes.cron,
        timezone=changes.timezone,
        catch_up=changes.catch_up,
        jitter_seconds=changes.jitter_seconds,
        input=changes.input,
        metadata=changes.metadata,
    )
    return old, new


async def declare(
    conn: Conn, *, org_id: UUID, types: list[str], schedules: list[dict[str, Any]], queues: list[str] | None = None
) -> list[ScheduleChange]:
    """Declare the schedules of an app, and return what changed. Each schedule has the parameters of `put_schedule`
    except the next time. A schedule of one of `types` that is not in `schedules` is deleted."""
    now = await maintenance.now(conn)
    timed = [
        {**schedule, "next_at": fire_after(schedule["cron"], schedule.get("timezone") or "UTC", now).isoformat()}
        for schedule in schedules
    ]
    return await reactions.declare_schedules(conn, org_id=org_id, types=types, schedules=timed, queues=queues)
