"""Declares the cron schedules of an app when a worker starts; the latest declaration wins."""

import logging
from uuid import UUID

from tenuto.db import maintenance, reactions
from tenuto.db.connection.call import Conn
from tenuto.model.cron import fire_after
from tenuto.sdk.app import App

log = logging.getLogger("tenuto.worker")


async def put_schedules(conn: Conn, org_id: UUID, app: App) -> None:
    """Create or update a schedule for each task with `cron=`; delete the schedule of a task that no longer has one."""
    wanted = {task.name: task for task in app.schedules()}
    now = await maintenance.now(conn)
    for name, task in wanted.items():
        options = task.declared
        limits = task.limits_of((), {})
        await reactions.put_schedule(
            conn,
            org_id=org_id,
            name=name,
            kind=task.kind(),
            cron=options.cron or "",
            next_at=fire_after(options.cron or "", options.timezone, now),
            details={"limits": limits} if limits else None,
            timezone=options.timezone,
            catch_up=options.catch_up,
            jitter_seconds=options.jitter,
        )
    after = None
    while page := await reactions.list_schedules(conn, org_id=org_id, after=after):
        after = page[-1].name
        for schedule in page:
            if schedule.name in app.tasks and schedule.name not in wanted:
                await reactions.delete_schedule(conn, org_id=org_id, name=schedule.name)
                log.info("%s has no cron any more: its schedule is gone", schedule.name)
