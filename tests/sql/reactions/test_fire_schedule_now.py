"""A schedule is fired by hand: one run more, and its next time stays."""

from datetime import timedelta

import pytest

from tenuto.db import reactions
from tenuto.model.errors import NotFound
from tests.support.clock import Clock
from tests.support.database.loops import an_org, count, run
from tests.support.database.schedules import fire, put, schedule
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, task
from tests.support.database.wrappers import call_wrapper

DAY = timedelta(days=1)


def test_firing_now_starts_a_run_and_keeps_the_next_time(db: Db, clock: Clock) -> None:
    put(db, clock.now + DAY, kind={"queue": "slow", "priority": 3}, input={"x": 1}, details={"metadata": {"a": 1}})
    before = schedule(db)

    run_id = call(db, "fire_schedule_now", org_id=DEFAULT_ORG, name="nightly")

    row = task(db, run_id)
    assert (row["type"], row["queue"], row["priority"], row["input"]) == ("app.report", "slow", 3, {"x": 1})
    moment = clock.now.strftime("%Y-%m-%dT%H:%M:%SZ")
    assert row["metadata"] == {"a": 1, "schedule": "nightly", "fire_time": moment}
    assert run(db, run_id)["name"] == "nightly"
    assert schedule(db) == before
    assert len(a_worker(db).claim(10)) == 1


def test_each_call_starts_a_run_and_the_planned_time_still_fires(db: Db, clock: Clock) -> None:
    put(db, clock.now)
    for _ in range(2):
        call(db, "fire_schedule_now", org_id=DEFAULT_ORG, name="nightly")

    assert len(fire(db, clock.now, clock.now, next_at=clock.now + DAY) or []) == 1
    assert count(db, "runs") == 3


def test_a_paused_schedule_can_be_fired_and_stays_paused(db: Db, clock: Clock) -> None:
    put(db, clock.now)
    call(db, "pause_schedule", org_id=DEFAULT_ORG, name="nightly")

    assert call(db, "fire_schedule_now", org_id=DEFAULT_ORG, name="nightly")
    assert schedule(db)["paused_at"] == clock.now


def test_a_schedule_that_is_not_there_or_of_another_org_is_refused(db: Db, database: str, clock: Clock) -> None:
    put(db, clock.now)
    other = an_org(db, "other")

    for org_id, name in ((DEFAULT_ORG, "weekly"), (other, "nightly")):
        with pytest.raises(NotFound, match=f"no schedule {name}"):
            call(db, "fire_schedule_now", org_id=org_id, name=name)
    with pytest.raises(NotFound):
        call_wrapper(database, reactions.fire_schedule_now, org_id=DEFAULT_ORG, name="weekly")
