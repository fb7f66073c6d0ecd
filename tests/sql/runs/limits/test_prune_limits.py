"""Limits that nobody uses go after a day; a task that names one finds it again, at its full strictness."""

import psycopg

from tests.support.clock import Clock
from tests.support.database.limits import a_key, a_queue, start_limited, used
from tests.support.database.loops import count
from tests.support.database.tasks import Db, a_worker, call, drain, statuses


def prune(db: Db, **how: object) -> tuple[int, int]:
    (row,) = call(db, "prune_limits", **how)
    return row["noted"], row["removed"]


def keys(db: Db) -> list[str]:
    return [key for (key,) in db.execute("select key from tenuto.limits order by key").fetchall()]


def test_a_limit_goes_when_nobody_has_used_it_for_a_day(db: psycopg.Connection, clock: Clock) -> None:
    start_limited(db, 3, a_key("db", 1))
    drain(db, a_worker(db))

    assert prune(db) == (1, 0)
    clock.advance(hours=23)
    assert prune(db) == (0, 0)
    clock.advance(hours=2)
    assert prune(db) == (0, 1)

    assert keys(db) == []
    assert prune(db) == (0, 0)


def test_a_limit_that_went_comes_back_with_the_next_task_that_names_it(db: psycopg.Connection, clock: Clock) -> None:
    start_limited(db, 1, a_key("db", 1))
    drain(db, a_worker(db))
    prune(db)
    clock.advance(days=2)
    prune(db)

    start_limited(db, 3, a_key("db", 2))
    call(db, "follow_arrivals")

    assert (keys(db), used(db, "db"), len(a_worker(db).claim(5))) == (["db"], 2, 2)


def test_a_limit_in_use_stays_and_is_looked_at_anew(db: psycopg.Connection, clock: Clock) -> None:
    start_limited(db, 1, a_key("db", 1))
    drain(db, a_worker(db))
    prune(db)
    start_limited(db, 2, a_key("db", 1))
    worker = a_worker(db, lease="1 day")
    held = worker.claim_one()
    clock.advance(days=2)

    assert prune(db) == (0, 0)

    worker.complete(held)
    drain(db, worker)
    assert prune(db) == (1, 0)
    assert keys(db) == ["db"]


def test_a_limit_with_only_a_line_or_only_slots_is_in_use(db: psycopg.Connection, clock: Clock) -> None:
    start_limited(db, 1, a_key("db", 1))
    call(db, "follow_arrivals")
    assert prune(db) == (0, 0)
    db.execute("delete from tenuto.limit_slots")
    start_limited(db, 1, a_key("api", 1))
    call(db, "follow_arrivals")
    db.execute("update tenuto.waiting_tasks set limit_id = (select id from tenuto.limits where key = 'db')")

    assert prune(db) == (1, 0)  # the one whose slot was taken away

    assert keys(db) == ["api", "db"]


def test_no_more_than_so_many_go_in_one_call(db: psycopg.Connection, clock: Clock) -> None:
    for number in range(5):
        start_limited(db, 1, a_key(f"key {number}", 1))
    drain(db, a_worker(db))
    assert [prune(db, limit=2) for _ in range(3)] == [(2, 0), (2, 0), (1, 0)]
    clock.advance(days=2)

    assert [prune(db, limit=2) for _ in range(4)] == [(0, 2), (0, 2), (0, 1), (0, 0)]


def test_a_task_behind_another_limit_still_waits_for_the_one_that_went(db: psycopg.Connection, clock: Clock) -> None:
    start_limited(db, 1, a_key("narrow", 1))
    worker = a_worker(db, lease="1 day")
    blocker = worker.claim_one()
    behind = start_limited(db, 2, a_key("narrow", 1), a_queue("late", 1))
    call(db, "follow_arrivals")
    assert prune(db) == (1, 0)
    clock.advance(hours=23)
    worker.beat(blocker)
    clock.advance(hours=2)
    worker.beat(blocker)
    assert prune(db) == (0, 1)  # "late": both stand in the line of "narrow"
    assert keys(db) == ["narrow"]

    db.execute("update tenuto.limits set size = 3")
    worker.complete(blocker)
    assert worker.claim(5) == []  # neither runs without a slot of "late"
    call(db, "sweep_limits")

    assert (keys(db), used(db, "late")) == (["late", "narrow"], 1)
    assert statuses(db, [claim.task_id for claim in worker.claim(5)]) == ["running"]
    assert drain(db, a_worker(db, "other")) == 0
    assert sorted(statuses(db, behind)) == ["queued", "running"]
    assert count(db, "waiting_tasks") == 1
