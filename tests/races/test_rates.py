"""Dispatchers, starts and cancels at the same rate limit."""

from psycopg.types.json import Jsonb

from tests.support.database.interleave import Play, Race, rolled_back
from tests.support.database.limits import a_key, a_rate, admitted, start_limited
from tests.support.database.loops import cancel_task, count, value
from tests.support.database.tasks import Db, call, start, statuses


def admit(db: Db) -> int:
    return call(db, "admit_rates")


def test_two_dispatchers_let_in_no_more_than_one(race: Race) -> None:
    def scene(play: Play) -> None:
        start_limited(race.db, 3, a_rate("r", 2, 3600))
        assert sum(play.run(admit, admit)) == 1
        assert admitted(race.db, "r") == 1
        assert value(race.db, "select sum(tasks) from tenuto.rate_admissions") == 1

    race.every_order(scene)


def test_a_dispatcher_that_dies_takes_no_token(race: Race) -> None:
    def scene(play: Play) -> None:
        start_limited(race.db, 3, a_rate("r", 2, 3600))
        play.run(rolled_back(admit), admit)
        admit(race.db)
        assert admitted(race.db, "r") == 1

    race.every_order(scene)


def test_a_task_that_lines_up_while_a_dispatcher_looks_is_let_in_soon(race: Race) -> None:
    def scene(play: Play) -> None:
        start_limited(race.db, 1, a_rate("r", 3600, 3600))
        admit(race.db)
        race.db.execute("update tenuto.limits set paced_at = now() - interval '1 minute', due_at = now()")
        play.run(lambda db: start_limited(db, 1, a_rate("r", 3600, 3600)), admit)
        if count(race.db, "waiting_tasks"):
            assert value(race.db, "select due_at <= now() + interval '1 second' from tenuto.limits")
        else:
            assert admitted(race.db, "r") == 2

    race.every_order(scene)


def test_a_task_is_cancelled_or_let_in_and_both_leave_nothing_behind(race: Race) -> None:
    def scene(play: Play) -> str:
        (task_id,) = start_limited(race.db, 1, a_key("k", 1), a_rate("r", 1, 3600))
        play.run(lambda db: cancel_task(db, task_id), admit)
        call(race.db, "sweep_cancelled")
        assert statuses(race.db, [task_id]) == ["cancelled"]
        assert count(race.db, "limit_slots") == 0
        return str(value(race.db, "select coalesce(sum(tasks), 0) from tenuto.rate_admissions"))

    assert "0" in race.every_order(scene)


def test_starts_under_two_rates_in_opposite_order_do_not_wait_for_each_other(race: Race) -> None:
    def scene(play: Play) -> None:
        start_limited(race.db, 1, a_rate("a", 1, 3600))
        start_limited(race.db, 1, a_rate("b", 1, 3600))
        race.db.execute("update tenuto.limits set due_at = null")

        def both(db: Db, *keys: str) -> None:
            details = [{"task": no, "limits": [a_rate(key, 1, 3600)]} for no, key in enumerate(keys)]
            start(db, *keys, details=Jsonb(details))

        play.run(lambda db: both(db, "a", "b"), lambda db: both(db, "b", "a"))
        assert count(race.db, "limits", "due_at is null") == 0

    race.every_order(scene)
