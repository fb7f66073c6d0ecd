"""Sessions that fell silent end."""

import pytest

from tenuto.model.errors import SessionEnded
from tests.support.clock import Clock
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, start_one, status
from tests.support.database.workers import session_ends, worker_row


def test_a_silent_session_ends_and_its_worker_is_in_error(db: Db, clock: Clock) -> None:
    worker = a_worker(db)
    clock.advance(seconds=61)

    assert call(db, "expire_sessions") == 1

    assert (worker_row(db)["status"], worker_row(db)["error"]) == ("error", "its lease expired")
    assert session_ends(db) == ["expired"]
    with pytest.raises(SessionEnded):
        worker.beat()


def test_a_session_that_beats_lives_on(db: Db, clock: Clock) -> None:
    worker = a_worker(db)
    for _ in range(5):
        clock.advance(seconds=40)
        worker.beat()
        assert call(db, "expire_sessions") == 0

    assert worker_row(db)["status"] == "active"


def test_a_beat_that_comes_late_but_before_the_sweep_saves_the_session(db: Db, clock: Clock) -> None:
    worker = a_worker(db)
    clock.advance(minutes=5)

    worker.beat()

    assert call(db, "expire_sessions") == 0


def test_only_the_silent_ones_end_and_each_once(db: Db, clock: Clock) -> None:
    a_worker(db, "silent")
    clock.advance(seconds=50)
    a_worker(db, "fresh")
    clock.advance(seconds=20)

    assert [call(db, "expire_sessions") for _ in range(2)] == [1, 0]

    assert (worker_row(db, "silent")["status"], worker_row(db, "fresh")["status"]) == ("error", "active")


def test_a_limit_leaves_the_rest_for_the_next_sweep(db: Db, clock: Clock) -> None:
    for name in "abc":
        a_worker(db, name)
    clock.advance(minutes=5)

    assert [call(db, "expire_sessions", limit=2) for _ in range(3)] == [2, 1, 0]


def test_the_old_session_of_a_worker_that_came_back_cannot_put_it_into_error(db: Db, clock: Clock) -> None:
    a_worker(db)
    clock.advance(seconds=50)
    a_worker(db)
    clock.advance(seconds=30)

    assert call(db, "expire_sessions") == 0

    assert worker_row(db)["status"] == "active"


@pytest.mark.parametrize("end", ["drain_worker", "terminate_worker"])
def test_a_draining_worker_may_be_lost_and_a_terminated_one_stays_terminated(db: Db, clock: Clock, end: str) -> None:
    a_worker(db)
    call(db, end, org_id=DEFAULT_ORG, worker_id="w")
    clock.advance(minutes=5)

    call(db, "expire_sessions")

    assert worker_row(db)["status"] == {"drain_worker": "error", "terminate_worker": "terminated"}[end]


def test_the_tasks_of_an_ended_session_are_left_to_expire_attempts(db: Db, clock: Clock) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()
    clock.advance(minutes=5)

    call(db, "expire_sessions")

    assert status(db, task_id) == "running"
    assert worker.complete(held) == ["accepted"]
