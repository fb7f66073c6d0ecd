"""Fires schedules. Python computes the due times and the next time. SQL updates a schedule only if its next time is
still the expected one, so that each time fires once."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice, takewhile

from tenuto.db import reactions
from tenuto.db.connection.call import Conn
from tenuto.model.cron import fire_after, fire_times, last_fire
from tenuto.model.errors import InvalidInput
from tenuto.model.schedules import DueSchedule

ON_TIME = timedelta(minutes=1)  # with `skip`, a time that passed longer ago than this does not fire
MAX_FIRES_PER_CALL = 1000  # limits a call, so that a year of missed minutes is caught up in several calls

log = logging.getLogger("tenuto.dispatcher")


@dataclass(frozen=True)
class Firing:
    """The times for which runs are started, and the next time after them."""

    moments: list[datetime]
    next_at: datetime


def plan_firing(due: DueSchedule) -> Firing:
    """Return the times for which a due schedule starts runs, and its next time."""
    if due.starts_after is not None:
        return Firing([], fire_after(due.cron, due.timezone, due.starts_after))
    if due.catch_up == "all":
        moments = list(islice(takewhile(lambda moment: moment <= due.now, _times_from(due)), MAX_FIRES_PER_CALL))
        return Firing(moments, fire_after(due.cron, due.timezone, moments[-1]))
    latest, next_at = due.next_at, fire_after(due.cron, due.timezone, due.next_at)
    if next_at <= due.now:  # several times have passed, and only the last of them fires
        latest = max(latest, last_fire(due.cron, due.timezone, due.now) or latest)
        next_at = fire_after(due.cron, due.timezone, due.now)
    late = due.catch_up == "skip" and due.now - latest > ON_TIME
    return Firing([] if late else [latest], next_at)


def _times_from(due: DueSchedule) -> Iterator[datetime]:
    yield due.next_at
    yield from fire_times(due.cron, due.timezone, due.next_at)


async def fire_schedules(conn: Conn, *, limit: int, keys: list[str] | None = None) -> int:
    """Fires the due schedules and returns how many were due. Pauses a schedule whose times cannot be computed."""
    due = await reactions.list_due_schedules(conn, limit=limit, keys=keys)
    planned: list[tuple[DueSchedule, Firing]] = []
    moments = 0
    for schedule in due:
        if moments >= MAX_FIRES_PER_CALL:  # the next call fires the rest
            break
        try:
            firing = plan_firing(schedule)
            planned.append((schedule, firing))
            moments += len(firing.moments)
        except InvalidInput as problem:
            log.error(
                "schedule %s of org %s is paused, because it cannot be fired: %s",
                schedule.name,
                schedule.org_id,
                problem,
            )
            await reactions.pause_schedule(conn, org_id=schedule.org_id, name=schedule.name)
    if planned:
        await reactions.fire_schedules(
            conn,
            org_ids=[schedule.org_id for schedule, _ in planned],
            names=[schedule.name for schedule, _ in planned],
            expected=[schedule.next_at for schedule, _ in planned],
            fire_times=[[moment.isoformat() for moment in firing.moments] for _, firing in planned],
            next_at=[firing.next_at for _, firing in planned],
        )
    return len(due)
