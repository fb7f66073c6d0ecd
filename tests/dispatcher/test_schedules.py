"""Schedules: which moments fire after a time away, and that each fires once."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from tenuto.dispatcher.schedules import plan_firing
from tenuto.model.schedules import DueSchedule
from tests.support.kernel import Db
from tests.support.loops import count, value
from tests.support.schedules import put, schedule
from tests.support.waiting import wait_until

Start = Callable[[], None]


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def plan(
    catch_up: str, next_at: str, now: str, cron: str = "0 * * * *", timezone: str = "UTC"
) -> tuple[list[str], str]:
    firing = plan_firing(DueSchedule(uuid4(), "s", cron, timezone, catch_up, at(next_at), at(now)))
    return [f"{moment:%d %H:%M}" for moment in firing.moments], f"{firing.next_at:%d %H:%M}"


@pytest.mark.parametrize("catch_up", ["skip", "one", "all"])
def test_on_time_every_policy_fires_the_moment(catch_up: str):
    assert plan(catch_up, "2026-01-01 10:00", "2026-01-01 10:00:01") == (["01 10:00"], "01 11:00")


@pytest.mark.parametrize(
    ("catch_up", "fired"),
    [("skip", []), ("one", ["01 13:00"]), ("all", ["01 10:00", "01 11:00", "01 12:00", "01 13:00"])],
)
def test_after_hours_away_the_policy_decides_what_is_caught_up(catch_up: str, fired: list[str]):
    assert plan(catch_up, "2026-01-01 10:00", "2026-01-01 13:30") == (fired, "01 14:00")


def test_skip_fires_the_moment_that_has_just_come_and_leaves_out_those_before():
    assert plan("skip", "2026-01-01 10:00", "2026-01-01 13:00:10") == (["01 13:00"], "01 14:00")


def test_years_away_cost_no_years_of_counting():
    moments, next_at = plan("one", "1996-01-01 00:00", "2026-01-01 00:00:30", cron="* * * * * *")

    assert (moments, next_at) == (["01 00:00"], "01 00:00")
    assert len(plan("all", "1996-01-01 00:00", "2026-01-01 00:00:30", cron="* * * * *")[0]) == 1000


def test_an_hour_that_autumn_repeats_fires_once():
    night = {"cron": "30 2 * * *", "timezone": "Europe/Berlin"}

    assert plan("all", "2026-10-24 00:30", "2026-10-25 03:00", **night) == (["24 00:30", "25 00:30"], "26 01:30")
    assert plan("one", "2026-10-25 00:30", "2026-10-25 01:31", **night) == (["25 00:30"], "26 01:30")


def test_two_dispatchers_fire_each_time_once(db: Db, dispatcher: Start):
    begun = datetime.now(UTC).replace(microsecond=0) - timedelta(minutes=30)
    for number in range(20):
        put(db, begun, f"minutely-{number}", cron="* * * * *", catch_up="all")
    dispatcher()
    dispatcher()

    wait_until(lambda: value(db, "select bool_and(next_at > tenuto.now()) from tenuto.schedules"))
    fired = "select count(*) - count(distinct (name, metadata ->> 'fire_time')) from tenuto.run_status"
    assert value(db, fired) == 0
    assert count(db, "runs") >= 20 * 30


def test_a_schedule_that_can_never_fire_is_paused_and_others_go_on(db: Db, dispatcher: Start):
    past = datetime.now(UTC) - timedelta(minutes=1)
    put(db, past, "broken", cron="at three")
    put(db, past, "fine", cron="* * * * *")
    dispatcher()

    wait_until(lambda: count(db, "runs") > 0 and schedule(db, "broken")["paused_at"] is not None)
    assert schedule(db, "fine")["paused_at"] is None
