"""Schedules fire: each moment once, whoever asks."""

from datetime import timedelta

import pytest

from tenuto.db import reactions
from tenuto.model.errors import InvalidInput, TooLarge
from tests.support.clock import Clock
from tests.support.database.limits import a_key
from tests.support.database.loops import count, promote, run
from tests.support.database.schedules import fire, put, schedule
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, task
from tests.support.database.wrappers import call_wrapper

DAY = timedelta(days=1)


def test_a_schedule_is_due_when_its_time_has_come(db: Db, clock: Clock, database: str) -> None:
    put(db, clock.now + DAY)
    assert call(db, "list_due_schedules") == []
    clock.advance(days=1)

    (due,) = call(db, "list_due_schedules")

    assert (due["name"], due["next_at"], due["now"]) == ("nightly", clock.now, clock.now)
    assert call_wrapper(database, reactions.list_due_schedules) == []  # there, a day is not over


def test_no_more_are_answered_than_asked_for_and_the_oldest_first(db: Db, clock: Clock) -> None:
    for hours in (1, 3, 2):
        put(db, clock.now - timedelta(hours=hours), f"{hours}h")

    assert [row["name"] for row in call(db, "list_due_schedules", limit=2)] == ["3h", "2h"]


def test_firing_starts_a_run_and_sets_the_next_time(db: Db, clock: Clock) -> None:
    put(db, clock.now, kind={"queue": "slow", "priority": 3}, input={"x": 1}, details={"metadata": {"a": 1}})

    (run_id,) = fire(db, clock.now, clock.now, next_at=clock.now + DAY) or []

    row = task(db, run_id)
    assert (row["type"], row["queue"], row["priority"], row["input"]) == ("app.report", "slow", 3, {"x": 1})
    moment = clock.now.strftime("%Y-%m-%dT%H:%M:%SZ")
    assert row["metadata"] == {"a": 1, "schedule": "nightly", "fire_time": moment}
    assert run(db, run_id)["name"] == "nightly"
    assert (schedule(db)["next_at"], schedule(db)["last_at"]) == (clock.now + DAY, clock.now)
    assert len(a_worker(db).claim(10)) == 1


def test_several_missed_moments_start_a_run_each_and_none_when_they_are_skipped(db: Db, clock: Clock) -> None:
    put(db, clock.now - 2 * DAY)
    missed = [clock.now - 2 * DAY, clock.now - DAY, clock.now]
    assert len(fire(db, missed[0], *missed, next_at=clock.now + DAY) or []) == 3

    clock.advance(days=3)
    assert fire(db, clock.now - 2 * DAY, next_at=clock.now + DAY) == []

    assert count(db, "runs") == 3
    assert schedule(db)["last_at"] == clock.now - 3 * DAY


def test_a_moment_that_was_fired_is_not_fired_again(db: Db, clock: Clock) -> None:
    put(db, clock.now)
    fire(db, clock.now, clock.now, next_at=clock.now + DAY)

    assert fire(db, clock.now, clock.now, next_at=clock.now + DAY) is None

    assert count(db, "runs") == 1


def test_an_edit_that_brings_a_moment_back_does_not_start_it_twice(db: Db, clock: Clock) -> None:
    put(db, clock.now)
    fire(db, clock.now, clock.now, next_at=clock.now + DAY)
    put(db, clock.now, cron="0 3 * * 1", kind={"type": "app.another"})

    assert fire(db, clock.now, clock.now, next_at=clock.now + DAY) == []

    assert count(db, "runs") == 1
    assert schedule(db)["next_at"] == clock.now + DAY


def test_two_schedules_of_one_type_fire_the_same_moment(db: Db, clock: Clock) -> None:
    for name in ("one", "two"):
        put(db, clock.now, name)
        assert len(fire(db, clock.now, clock.now, next_at=clock.now + DAY, name=name) or []) == 1


@pytest.mark.parametrize("meanwhile", ["paused", "deleted", "edited"])
def test_what_changed_meanwhile_is_not_ours_to_fire(db: Db, clock: Clock, meanwhile: str) -> None:
    put(db, clock.now)
    if meanwhile == "edited":
        put(db, clock.now + DAY, cron="0 4 * * *")
    else:
        call(db, f"{meanwhile[:-1]}_schedule", org_id=DEFAULT_ORG, name="nightly")

    assert fire(db, clock.now, clock.now, next_at=clock.now + DAY) is None

    assert count(db, "runs") == 0


def test_jitter_delays_the_start_by_at_most_so_much(db: Db, clock: Clock) -> None:
    put(db, clock.now, jitter_seconds=60)

    (run_id,) = fire(db, clock.now, clock.now, next_at=clock.now + DAY) or []

    assert 0 <= (task(db, run_id)["available_at"] - clock.now).total_seconds() <= 60
    promote(db, clock, seconds=60)
    assert len(a_worker(db).claim()) == 1


def test_limits_of_a_schedule_hold_for_its_runs(db: Db, clock: Clock) -> None:
    put(db, clock.now - DAY, details={"limits": [a_key("k", 1)]})

    fire(db, clock.now - DAY, clock.now - DAY, clock.now, next_at=clock.now + DAY)

    assert len(a_worker(db).claim(10)) == 1


def test_moments_outside_of_the_time_that_is_fired_are_refused(db: Db, clock: Clock) -> None:
    put(db, clock.now)
    hour = timedelta(hours=1)
    for times, next_at in [
        ([clock.now - hour], clock.now + DAY),
        ([clock.now + hour], clock.now + DAY),
        ([clock.now], clock.now),
        ([], clock.now - hour),
    ]:
        with pytest.raises(InvalidInput, match="schedule nightly has a fire time in the future, or not between"):
            fire(db, clock.now, *times, next_at=next_at)
    with pytest.raises(TooLarge, match="1001 fire times"):
        fire(db, clock.now, *[clock.now] * 1001, next_at=clock.now + DAY)

    assert (count(db, "runs"), schedule(db)["next_at"]) == (0, clock.now)
