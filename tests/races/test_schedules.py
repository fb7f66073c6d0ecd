"""Dispatchers and people at the same schedule."""

from datetime import UTC, datetime, timedelta

from psycopg.types.json import Jsonb

from tenuto.model.errors import Conflict
from tests.support.database.interleave import Call, Play, Race, rolled_back
from tests.support.database.loops import count
from tests.support.database.schedules import CRON, fire, put, schedule
from tests.support.database.tasks import DEFAULT_ORG, Db, call

DUE = datetime(2026, 1, 1, 3, tzinfo=UTC)
NEXT, LATER = DUE + timedelta(days=1), DUE + timedelta(days=7)


def fired(db: Db) -> object:
    return fire(db, DUE, DUE, next_at=NEXT)


def test_of_two_dispatchers_one_fires(race: Race) -> None:
    def scene(play: Play) -> None:
        put(race.db, DUE)
        answers = play.run(fired, fired)
        assert [answer is None for answer in answers].count(True) == 1
        assert count(race.db, "runs") == 1
        assert schedule(race.db)["next_at"] == NEXT

    race.every_order(scene)


def test_a_dispatcher_that_dies_leaves_the_moment_to_the_other(race: Race) -> None:
    def scene(play: Play) -> None:
        put(race.db, DUE)
        _, answer = play.run(rolled_back(fired), fired)
        assert answer or fired(race.db)  # while the first held the schedule, it was left for the next turn
        assert count(race.db, "runs") == 1

    race.every_order(scene)


def test_a_schedule_is_paused_before_it_fires_or_after(race: Race) -> None:
    def scene(play: Play) -> bool:
        put(race.db, DUE)
        runs, _ = play.run(fired, lambda db: call(db, "pause_schedule", org_id=DEFAULT_ORG, name="nightly"))
        assert count(race.db, "runs") == (0 if runs is None else 1)
        assert schedule(race.db)["paused_at"] is not None
        assert schedule(race.db)["next_at"] == (DUE if runs is None else NEXT)
        return runs is None

    assert set(race.every_order(scene)) == {True, False}


def test_an_edit_of_the_cron_wins_over_the_next_time_of_the_old_one(race: Race) -> None:
    def scene(play: Play) -> bool:
        put(race.db, DUE)
        runs, _ = play.run(fired, lambda db: put(db, LATER, cron="0 3 * * 1"))
        assert count(race.db, "runs") == (0 if runs is None else 1)
        assert schedule(race.db)["next_at"] == LATER
        return runs is None

    assert set(race.every_order(scene)) == {True, False}


def test_an_edit_of_the_rest_never_takes_a_fired_moment_back(race: Race) -> None:
    def scene(play: Play) -> None:
        put(race.db, DUE)
        runs, _ = play.run(fired, lambda db: put(db, LATER, input=[2]))
        assert runs or fired(race.db)  # a schedule that is being edited is left for the next turn
        assert (count(race.db, "runs"), schedule(race.db)["next_at"]) == (1, NEXT)
        assert schedule(race.db)["input"] == [2]

    race.every_order(scene)


def test_one_that_is_put_twice_at_once_is_there_once(race: Race) -> None:
    def scene(play: Play) -> None:
        kind = Jsonb({"type": "app.report"})
        named = {"org_id": DEFAULT_ORG, "name": "nightly", "cron": "0 3 * * *", "kind": kind}
        play.run(*[lambda db: call(db, "put_schedule", **named, next_at=DUE)] * 2)
        assert count(race.db, "schedules") == 1

    race.every_order(scene)


def test_a_schedule_whose_cron_is_edited_never_resumes_at_a_time_of_the_old_cron(race: Race) -> None:
    def resume(db: Db) -> None:
        call(db, "resume_schedule", org_id=DEFAULT_ORG, name="nightly", next_at=NEXT, cron=CRON, timezone="UTC")

    def scene(play: Play) -> bool:
        put(race.db, DUE)
        call(race.db, "pause_schedule", org_id=DEFAULT_ORG, name="nightly")
        resumed, _ = play.run(resume, lambda db: put(db, LATER, cron="0 3 * * 1"))
        after = schedule(race.db)
        assert after["next_at"] == LATER
        assert (after["paused_at"] is None) == (not isinstance(resumed, Conflict))
        return isinstance(resumed, Conflict)

    assert set(race.every_order(scene)) == {True, False}


def declare(types: list[str], *names: str) -> Call:
    schedules = [
        {"name": name, "kind": {"type": name}, "cron": "0 3 * * *", "next_at": DUE.isoformat()} for name in names
    ]
    params = {"org_id": DEFAULT_ORG, "types": types, "schedules": Jsonb(schedules)}
    return lambda db: call(db, "declare_schedules", **params)


def test_two_workers_that_declare_the_same_at_once_put_it_once(race: Race) -> None:
    def scene(play: Play) -> None:
        first, second = play.run(declare(["a", "b"], "a", "b"), declare(["a", "b"], "a", "b"))
        # The second may have waited for the first to insert a schedule that it did not see before.
        assert {row["name"] for row in (*first, *second)} == {"a", "b"}
        assert count(race.db, "schedules") == 2

    race.every_order(scene)


def test_two_versions_of_an_app_declare_in_turn_and_do_not_wait_for_each_other(race: Race) -> None:
    types = ["a", "b", "c"]

    def scene(play: Play) -> frozenset[str]:
        declare(types, *types)(race.db)
        play.run(declare(types, "a", "b"), declare(types, "b", "c"))
        left = race.db.execute("select name from tenuto.schedules").fetchall()
        return frozenset(name for (name,) in left)

    assert set(race.every_order(scene)) == {frozenset("ab"), frozenset("bc")}


def test_a_schedule_fired_by_hand_while_it_fires_starts_both_runs(race: Race) -> None:
    def scene(play: Play) -> None:
        put(race.db, DUE)
        by_hand, planned = play.run(lambda db: call(db, "fire_schedule_now", org_id=DEFAULT_ORG, name="nightly"), fired)
        assert by_hand is not None
        assert planned is not None
        assert count(race.db, "runs") == 2
        assert schedule(race.db)["next_at"] == NEXT

    race.every_order(scene)
