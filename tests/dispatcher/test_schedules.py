"""Schedules: which moments fire after a time away, and that each fires once."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from psycopg.types.json import Jsonb

from tenuto.dispatcher.schedules import plan_firing
from tenuto.model.schedules import DueSchedule
from tenuto.model.statuses import CatchUp
from tests.support.database.jobs import deployed
from tests.support.database.loops import an_org, count, value
from tests.support.database.schedules import put, schedule
from tests.support.database.tasks import DEFAULT_ORG, Db, call
from tests.support.waiting import wait_until

Start = Callable[[], None]


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def plan(
    catch_up: CatchUp, next_at: str, now: str, cron: str = "0 * * * *", timezone: str = "UTC"
) -> tuple[list[str], str]:
    firing = plan_firing(DueSchedule(uuid4(), "s", cron, timezone, catch_up, at(next_at), at(now)))
    return [f"{moment:%d %H:%M}" for moment in firing.moments], f"{firing.next_at:%d %H:%M}"


@pytest.mark.parametrize("catch_up", ["skip", "one", "all"])
def test_on_time_every_policy_fires_the_moment(catch_up: CatchUp):
    assert plan(catch_up, "2026-01-01 10:00", "2026-01-01 10:00:01") == (["01 10:00"], "01 11:00")


@pytest.mark.parametrize(
    ("catch_up", "fired"),
    [("skip", []), ("one", ["01 13:00"]), ("all", ["01 10:00", "01 11:00", "01 12:00", "01 13:00"])],
)
def test_after_hours_away_the_policy_decides_what_is_caught_up(catch_up: CatchUp, fired: list[str]):
    assert plan(catch_up, "2026-01-01 10:00", "2026-01-01 13:30") == (fired, "01 14:00")


def test_skip_fires_the_moment_that_has_just_come_and_leaves_out_those_before():
    assert plan("skip", "2026-01-01 10:00", "2026-01-01 13:00:10") == (["01 13:00"], "01 14:00")


def test_the_first_time_of_a_schedule_is_computed_from_where_it_starts():
    late = DueSchedule(uuid4(), "s", "0 * * * *", "UTC", "one", at("2026-01-01 10:20"), at("2026-01-01 13:30"))

    firing = plan_firing(replace(late, starts_after=at("2026-01-01 10:20")))

    assert (firing.moments, firing.next_at) == ([], at("2026-01-01 11:00"))


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


def test_orgs_take_turns_however_many_schedules_one_has(db: Db):
    past = datetime.now(UTC) - timedelta(minutes=1)
    for number in range(50):
        put(db, past - timedelta(minutes=1), f"many-{number}")
    other = an_org(db, "other")
    put(db, past, "single", org_id=other)

    assert other in {row["org_id"] for row in call(db, "list_due_schedules", limit=2)}


def test_a_batch_fires_the_schedules_of_several_orgs_and_leaves_out_those_that_changed(db: Db):
    due = datetime.now(UTC).replace(microsecond=0) - timedelta(minutes=1)
    orgs = [DEFAULT_ORG, an_org(db, "other")]
    for org in orgs:
        for name in ("a", "b", "paused"):
            put(db, due, name, org_id=org, kind={"type": f"app.{name}"}, details={"metadata": {"of": name}})
        call(db, "pause_schedule", org_id=org, name="paused")
    names = ["b", "a", "paused", "gone"]
    pairs = [(org, name) for org in orgs for name in names]
    fired = call(
        db,
        "fire_schedules",
        org_ids=[org for org, _ in pairs],
        names=[name for _, name in pairs],
        expected=[due] * len(pairs),
        fire_times=Jsonb([[due.isoformat()]] * len(pairs)),
        next_at=[due + timedelta(hours=1)] * len(pairs),
    )

    assert {(row["org_id"], row["name"]) for row in fired} == {(org, name) for org in orgs for name in ("a", "b")}
    assert all(len(row["run_ids"]) == 1 for row in fired)
    seen = "select name, type, metadata ->> 'of', metadata ->> 'schedule' from tenuto.run_status order by 1"
    assert db.execute(seen.encode()).fetchall() == [(name, f"app.{name}", name, name) for name in ("a", "a", "b", "b")]


def test_a_schedule_that_can_never_fire_is_paused_and_others_go_on(db: Db, dispatcher: Start):
    past = datetime.now(UTC) - timedelta(minutes=1)
    put(db, past, "broken", cron="at three")
    put(db, past, "fine", cron="* * * * *")
    dispatcher()

    wait_until(lambda: count(db, "runs") > 0 and schedule(db, "broken")["paused_at"] is not None)
    assert schedule(db, "fine")["paused_at"] is None


def test_a_cutover_is_enough_for_sources_to_start_by_themselves(db: Db, dispatcher: Start):
    job = {"activation": "source", "operator": "python", "config": {"task": "shop.work"}}
    cron = {"kind": "cron", "schedule": "* * * * * *"}
    follower = {"kind": "continuous"}
    jobs = [
        {"name": name, **job, "source": source, "outputs": [{"dataset": name}]}
        for name, source in (("tick", cron), ("follow", follower))
    ]
    dispatcher()

    deployed(db, {"name": "shop", "jobs": jobs})

    started = "select count(distinct name) from tenuto.runs where name in ('shop/tick', 'shop/follow')"
    wait_until(lambda: value(db, started) == 2)
    wait_until(lambda: value(db, "select count(*) from tenuto.runs where name = 'shop/tick'") >= 2)
    assert value(db, "select count(*) from tenuto.runs where name = 'shop/follow'") == 1  # it is still queued
