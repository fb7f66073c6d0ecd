"""Schedules: which moments have come and when the next is. Python proposes, SQL compares, so each fires once."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice, takewhile

from tenuto.db import reactions
from tenuto.db.pool import Pool
from tenuto.model.cron import fire_after, fire_times, last_fire
from tenuto.model.errors import InvalidInput
from tenuto.model.schedules import DueSchedule

ON_TIME = timedelta(minutes=1)  # `skip` leaves out what is later than this
MOST = 1000  # moments a call, so that a year of minutes is caught up in steps

log = logging.getLogger("tenuto.dispatcher")


@dataclass(frozen=True)
class Firing:
    """The moments to start runs for, and the time to wait for after them."""

    moments: list[datetime]
    next_at: datetime


def plan_firing(due: DueSchedule) -> Firing:
    """What to do about a schedule whose time has come."""
    if due.catch_up == "all":
        moments = list(islice(takewhile(lambda moment: moment <= due.now, _from(due)), MOST))
        return Firing(moments, fire_after(due.cron, due.timezone, moments[-1]))
    latest = max(due.next_at, last_fire(due.cron, due.timezone, due.now) or due.next_at)
    late = due.catch_up == "skip" and due.now - latest > ON_TIME
    return Firing([] if late else [latest], fire_after(due.cron, due.timezone, due.now))


def _from(due: DueSchedule) -> Iterator[datetime]:
    yield due.next_at
    yield from fire_times(due.cron, due.timezone, due.next_at)


async def fire_schedules(pool: Pool, *, limit: int) -> int:
    """Fire what is due; one that can never fire is paused, so that it stands in nobody's way."""
    due = await pool.call(reactions.due_schedules, limit=limit)
    for one in due:
        try:
            firing = plan_firing(one)
            times = {"expected": one.next_at, "fire_times": firing.moments, "next_at": firing.next_at}
            await pool.call(reactions.fire_schedule, org_id=one.org_id, name=one.name, **times)
        except InvalidInput as problem:
            log.error("schedule %s is paused, it cannot be fired: %s", one.name, problem)
            await pool.call(reactions.pause_schedule, org_id=one.org_id, name=one.name)
    return len(due)
