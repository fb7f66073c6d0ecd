"""The floors of a limit: a call that fills it reads neither tasks that left its line nor slots that were given back."""

from typing import Any

import psycopg
import pytest

from tests.support.clock import Clock
from tests.support.database.limits import a_key, a_queue, a_rate, start_limited, used
from tests.support.database.loops import count, value
from tests.support.database.tasks import Db, Worker, a_worker, call, drain

ENTRIES_READ = "select sum(idx_tup_read) from pg_stat_user_indexes where indexrelname = any(%s)"
LINE, SLOTS = "waiting_tasks_limit_idx", "limit_slots_limit_idx"
SEQUENCES = ("tenuto.ready_seq", "tenuto.limit_slots_seq_seq")
FLOORS = "select array[floor_priority, floor_seq, floor_slot] from tenuto.limits"


def move_floors(db: Db) -> None:
    """Move all floors of limits, as if many tasks had passed since the last time."""
    for sequence in SEQUENCES:
        db.execute("select setval(%s, nextval(%s) + 10000)", [sequence] * 2)
    call(db, "move_floors", from_bottom=True)


def entries_read(db: Db, *indexes: str) -> int:
    db.execute("select pg_stat_force_next_flush()")
    return value(db, ENTRIES_READ, list(indexes))


def order(db: Db, worker: Worker, clock: Clock) -> list[Any]:
    """Run every task, one by one, and return their ids."""
    ids = []
    for _ in range(20):
        call(db, "admit_rates")
        for claim in worker.claim(1):
            worker.complete(claim)
            ids.append(claim.task_id)
        clock.advance(seconds=1)
    return ids


LIMITS = {"key": a_key("k", 1), "queue": a_queue("default", 1), "rate": a_rate("r", 1, 1)}


@pytest.mark.parametrize("limit", LIMITS.values(), ids=LIMITS)
def test_a_start_that_commits_late_is_admitted(db: Db, database: str, limit: dict[str, Any], clock: Clock) -> None:
    worker = a_worker(db)
    start_limited(db, 1, limit)
    with psycopg.connect(database) as client:
        late = start_limited(client, 1, limit)
        start_limited(db, 2, limit)
        assert len(order(db, worker, clock)) == 3
        move_floors(db)

    assert order(db, worker, clock) == late


@pytest.mark.parametrize("limit", LIMITS.values(), ids=LIMITS)
def test_priorities_hold_whatever_the_floor_is(db: Db, limit: dict[str, Any], clock: Clock) -> None:
    worker = a_worker(db)
    start_limited(db, 2, limit)
    order(db, worker, clock)
    move_floors(db)
    low, normal, high = [start_limited(db, 2, limit, kind={"priority": n}) for n in (-5, 0, 5)]
    move_floors(db)
    higher = start_limited(db, 1, limit, kind={"priority": 9})

    # One of the two slots of the rate or limit may have been given before the higher priorities came.
    assert sorted(order(db, worker, clock)) == sorted(low + normal + high + higher)
    low, high = [start_limited(db, 2, limit, kind={"priority": n}) for n in (-5, 5)]
    assert order(db, worker, clock)[-2:] == low


def test_a_task_that_moves_to_the_line_of_its_next_limit_is_admitted(db: Db, clock: Clock) -> None:
    worker = a_worker(db)
    start_limited(db, 1, a_key("a", 1))
    held = worker.claim_one()
    both = start_limited(db, 1, a_key("a", 1), a_queue("default", 1))
    start_limited(db, 3, a_queue("default", 1))
    assert len(order(db, worker, clock)) == 3
    move_floors(db)

    worker.complete(held)

    assert order(db, worker, clock) == both


def test_slots_before_the_floor_are_free_and_those_behind_count(db: Db) -> None:
    worker = a_worker(db)
    start_limited(db, 5, a_key("k", 2))
    worker.complete(*worker.claim(2))
    held = worker.claim(2)
    move_floors(db)

    assert (used(db, "k"), worker.claim(5)) == (2, [])
    worker.complete(*held)
    assert len(worker.claim(5)) == 1
    assert used(db, "k") == 1


def test_floors_that_would_skip_little_stay(db: Db) -> None:
    worker = a_worker(db)
    for sequence in SEQUENCES:
        db.execute("select setval(%s, 10000)", [sequence])
    start_limited(db, 5, a_key("k", 1))
    held = worker.claim_one()
    call(db, "move_floors", from_bottom=True)
    floors = value(db, FLOORS)
    assert floors[1] > 10000

    worker.complete(held)
    worker.complete(worker.claim_one())
    call(db, "move_floors", from_bottom=True)

    assert value(db, FLOORS) == floors


def test_sweep_limits_finds_tasks_before_a_wrong_floor(db: Db) -> None:
    worker = a_worker(db)
    start_limited(db, 2, a_key("k", 1))
    claim = worker.claim_one()
    db.execute("update tenuto.limits set floor_priority = -9, floor_seq = 1::bigint << 60")
    worker.complete(claim)
    assert worker.claim(5) == []

    call(db, "sweep_limits")

    assert len(worker.claim(5)) == 1


def test_a_claim_does_not_read_what_left_a_limit_behind_an_open_snapshot(db: Db, database: str) -> None:
    worker = a_worker(db)
    with psycopg.connect(database) as report:
        report.execute("set transaction isolation level repeatable read")
        report.execute("select from tenuto.orgs")
        start_limited(db, 300, a_key("k", 10))
        drain(db, worker)
        move_floors(db)
        start_limited(db, 1, a_key("k", 10))
        before = entries_read(db, LINE, SLOTS)
        worker.complete(worker.claim_one())
        read = entries_read(db, LINE, SLOTS) - before

    assert count(db, "waiting_tasks") == 0
    assert read < 100


def test_arrivals_at_a_locked_limit_keep_its_size_and_its_first_task(db: Db, database: str) -> None:
    worker = a_worker(db)
    start_limited(db, 1, a_key("k", 10))
    drain(db, worker)
    move_floors(db)
    with psycopg.connect(database) as other:
        other.execute("select from tenuto.limits for update")
        low = start_limited(db, 1, a_key("k", 1))
        high = start_limited(db, 1, a_key("k", 1), kind={"priority": 5})
        start_limited(db, 1, a_key("k", 10), kind={"priority": -5})
        low += start_limited(db, 1, a_key("k", 1))
        for _ in range(3):
            call(db, "follow_arrivals")

    claims = worker.claim(10)
    assert [claim.task_id for claim in claims] == high
    worker.complete(*claims)
    assert [claim.task_id for claim in worker.claim(10)] == low[:1]


def test_a_completion_does_not_count_the_slots_of_a_limit_without_a_line(db: Db) -> None:
    worker = a_worker(db)
    start_limited(db, 200, a_key("k", 1000))
    claims = worker.claim(200)
    before = entries_read(db, SLOTS)

    worker.complete(claims[0])

    assert entries_read(db, SLOTS) - before < 20
