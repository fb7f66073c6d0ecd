"""Large limits without free slots: nobody counts their slots, and every slot given back goes to the next in line."""

from collections.abc import Callable

import psycopg
import pytest

from tests.support.database.invariants import assert_invariants
from tests.support.database.limits import a_key, start_limited, used
from tests.support.database.loops import cancel_task, count, value
from tests.support.database.tasks import Claim, Db, Worker, a_worker, call

SIZE = 1001  # the slots of smaller limits are counted
ENTRIES_READ = "select pg_stat_get_xact_tuples_returned('tenuto.limit_slots_limit_idx'::regclass)"


@pytest.fixture
def worker(db: Db) -> Worker:
    """A worker that runs as many tasks as the limit allows, while five are in line."""
    start_limited(db, SIZE + 5, a_key("k", SIZE))
    worker = a_worker(db)
    call(db, "follow_arrivals")
    call(db, "follow_arrivals")
    return worker


@pytest.fixture
def running(worker: Worker) -> list[Claim]:
    claims = worker.claim(2 * SIZE)
    assert len(claims) == used(worker.db, "k") == SIZE
    assert value(worker.db, "select full_size from tenuto.limits") == SIZE
    return claims


def slots_read(db: Db, act: Callable[[], object]) -> int:
    """How many slots of the limit a call read."""
    with db.transaction():
        before = value(db, ENTRIES_READ)
        act()
        return value(db, ENTRIES_READ) - before


def test_a_completion_and_a_start_do_not_count_the_slots(db: Db, worker: Worker, running: list[Claim]) -> None:
    def start_and_claim() -> None:
        start_limited(db, 1, a_key("k", SIZE))
        assert worker.claim(1) == []

    def complete_and_claim() -> None:
        worker.complete(running[0])
        assert len(worker.claim(2)) == 1

    assert slots_read(db, start_and_claim) < 20
    assert slots_read(db, complete_and_claim) < 20
    assert used(db, "k") == SIZE
    assert_invariants(db)


def test_when_the_line_ends_free_slots_are_counted_again(db: Db, worker: Worker, running: list[Claim]) -> None:
    worker.complete(*running[:10])
    assert (used(db, "k"), len(worker.claim(10))) == (SIZE - 5, 5)
    worker.complete(running[10])

    start_limited(db, 10, a_key("k", SIZE))

    assert len(worker.claim(10)) == 6
    assert used(db, "k") == SIZE
    assert value(db, "select full_size from tenuto.limits") == SIZE


def test_a_limit_that_shrinks_gives_no_slot_until_enough_came_back(
    db: Db, worker: Worker, running: list[Claim]
) -> None:
    start_limited(db, 1, a_key("k", SIZE + 5))
    start_limited(db, 1, a_key("k", SIZE - 20))
    call(db, "follow_arrivals")

    worker.complete(*running[:20])
    assert (used(db, "k"), worker.claim(5)) == (SIZE - 20, [])
    worker.complete(*running[20:22])

    assert (used(db, "k"), len(worker.claim(5))) == (SIZE - 20, 2)


def test_a_limit_that_grows_gives_its_new_slots_at_once(db: Db, worker: Worker, running: list[Claim]) -> None:
    start_limited(db, 1, a_key("k", SIZE + 3))

    assert len(worker.claim(10)) == 3
    assert used(db, "k") == SIZE + 3


def test_a_slot_that_a_locked_task_did_not_take_goes_to_the_next(
    db: Db, database: str, worker: Worker, running: list[Claim]
) -> None:
    with psycopg.connect(database) as other:
        other.execute("select from tenuto.waiting_tasks order by seq for update")
        worker.complete(running[0])
        assert (used(db, "k"), worker.claim(1)) == (SIZE - 1, [])

    worker.complete(running[1])

    assert (used(db, "k"), len(worker.claim(5))) == (SIZE, 2)


def test_a_slot_that_leaked_is_found_by_the_sweep(db: Db, worker: Worker, running: list[Claim]) -> None:
    db.execute("delete from tenuto.limit_slots where task_id = %s", [running[0].task_id])
    start_limited(db, 1, a_key("k", SIZE))
    assert worker.claim(1) == []

    call(db, "sweep_limits")

    assert len(worker.claim(5)) == 1


def test_a_cancelled_task_gives_its_slot_to_the_next(db: Db, worker: Worker) -> None:
    ready = value(db, "select id from tenuto.ready_tasks limit 1")
    cancel_task(db, ready)

    assert used(db, "k") == SIZE
    assert count(db, "waiting_tasks") == 4
    assert len(worker.claim(2 * SIZE)) == SIZE
    assert_invariants(db)
