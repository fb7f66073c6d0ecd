"""Limits are repaired: slots nobody uses are freed, free slots are filled."""

import psycopg

from tests.support.database.limits import a_key, start_limited
from tests.support.database.loops import count
from tests.support.database.tasks import a_worker, call, drain, statuses


def sweep(db: psycopg.Connection) -> tuple[int, int]:
    (row,) = call(db, "sweep_limits")
    return row["freed"], row["filled"]


def test_a_slot_of_a_task_that_is_gone_is_freed_and_handed_on(db: psycopg.Connection) -> None:
    start_limited(db, 1, a_key("db", 1))
    drain(db, a_worker(db))
    db.execute("insert into tenuto.limit_slots select gen_random_uuid(), id, org_id from tenuto.limits")
    (second,) = start_limited(db, 1, a_key("db", 1))
    assert a_worker(db).claim() == []

    assert sweep(db) == (1, 1)

    assert a_worker(db).claim_one().task_id == second


def test_a_free_slot_that_was_passed_unseen_is_filled(db: psycopg.Connection) -> None:
    start_limited(db, 3, a_key("db", 1))
    call(db, "follow_arrivals")
    db.execute("update tenuto.limits set size = 2")

    assert sweep(db) == (0, 1)

    assert len(a_worker(db).claim(5)) == 2


def test_slots_in_use_stay(db: psycopg.Connection) -> None:
    tasks = start_limited(db, 3, a_key("db", 2), a_key("api", 1))
    worker = a_worker(db)
    worker.claim_one()  # one is running, one holds its first slot and stands in line for the second
    before = count(db, "limit_slots")

    assert sweep(db) == (0, 0)

    assert count(db, "limit_slots") == before
    assert statuses(db, tasks) == ["running", "queued", "queued"]


def test_a_sweep_of_nothing_changes_nothing(db: psycopg.Connection) -> None:
    assert sweep(db) == (0, 0)
