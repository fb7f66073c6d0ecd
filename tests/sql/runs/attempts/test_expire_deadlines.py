"""running -> retrying | failed, for attempts over their time or silent for too long."""

from uuid import uuid4

import psycopg

from tests.support.clock import Clock
from tests.support.database.loops import promote
from tests.support.database.tasks import a_worker, call, history, start, start_one, status, task


def test_an_attempt_ends_five_seconds_after_its_timeout(db: psycopg.Connection, clock: Clock) -> None:
    task_id = start_one(db, kind={"timeout_seconds": 30})
    worker = a_worker(db, lease="1 day")
    held = worker.claim_one()

    clock.advance(seconds=35)
    assert call(db, "expire_deadlines") == 0
    clock.advance(seconds=1)
    assert call(db, "expire_deadlines") == 1

    assert status(db, task_id) == "retrying"
    assert worker.complete(held) == ["stale_lease"]


def test_a_timeout_is_charged_as_a_failure(db: psycopg.Connection, clock: Clock) -> None:
    task_id = start_one(db, kind={"timeout_seconds": 1, "max_attempts": 2, "max_losses": 100})
    worker = a_worker(db, lease="1 day")
    for _ in range(2):
        worker.claim_one()
        clock.advance(seconds=10)
        call(db, "expire_deadlines")
        promote(db, clock)

    assert history(db, task_id) == [(1, "retrying"), (2, "failed")]
    seen = task(db, task_id)
    assert (seen["failures"], seen["losses"], seen["error"]) == (2, 0, {"reason": "timeout"})


def test_user_code_that_falls_silent_is_taken_back(db: psycopg.Connection, clock: Clock) -> None:
    task_id = start_one(db, kind={"heartbeat_timeout_seconds": 20, "max_attempts": 1})
    worker = a_worker(db, lease="1 day")
    held = worker.claim_one()
    clock.advance(seconds=19)
    worker.beat(held)
    clock.advance(seconds=2)

    assert call(db, "expire_deadlines") == 1

    assert status(db, task_id) == "failed"
    assert task(db, task_id)["error"] == {"reason": "heartbeat_timeout"}


def test_progress_counts_as_a_sign_of_life(db: psycopg.Connection, clock: Clock) -> None:
    start_one(db, kind={"heartbeat_timeout_seconds": 20})
    worker = a_worker(db, lease="1 day")
    held = worker.claim_one()
    for _ in range(5):
        clock.advance(seconds=15)
        call(db, "report_progress", **worker.fence, task_ids=[held.task_id], attempts=[held.attempt])
        assert call(db, "expire_deadlines") == 0

    assert worker.complete(held) == ["accepted"]


def test_progress_does_not_move_the_deadline(db: psycopg.Connection, clock: Clock) -> None:
    task_id = start_one(db, kind={"timeout_seconds": 30, "heartbeat_timeout_seconds": 20})
    worker = a_worker(db, lease="1 day")
    held = worker.claim_one()
    for _ in range(3):
        clock.advance(seconds=12)
        call(db, "report_progress", **worker.fence, task_ids=[held.task_id], attempts=[held.attempt])

    assert call(db, "expire_deadlines") == 1
    assert status(db, task_id) == "retrying"


def test_a_task_without_timeouts_may_take_any_time(db: psycopg.Connection, clock: Clock) -> None:
    start_one(db)
    a_worker(db, lease="1 day").claim_one()
    clock.advance(days=300)

    assert call(db, "expire_deadlines") == 0


def test_every_attempt_has_its_whole_time(db: psycopg.Connection, clock: Clock) -> None:
    start_one(db, kind={"timeout_seconds": 30, "backoff_seconds": 0})
    worker = a_worker(db, lease="1 day")
    worker.claim_one()
    clock.advance(seconds=36)
    call(db, "expire_deadlines")
    promote(db)
    second = worker.claim_one()

    clock.advance(seconds=34)
    assert call(db, "expire_deadlines") == 0
    assert worker.complete(second) == ["accepted"]


def test_no_more_attempts_are_taken_than_asked_for(db: psycopg.Connection, clock: Clock) -> None:
    start(db, 1, 2, 3, kind={"timeout_seconds": 1})
    a_worker(db, lease="1 day").claim(3)
    clock.advance(minutes=1)

    assert [call(db, "expire_deadlines", limit=2) for _ in range(3)] == [2, 1, 0]


def test_the_time_of_what_begins_late_counts_from_then(db: psycopg.Connection, clock: Clock) -> None:
    timeouts = {"timeout_seconds": 30, "heartbeat_timeout_seconds": 30}
    late, other = start(db, 1, 2, kind=timeouts)
    worker = a_worker(db, lease="1 day")
    claims = {claim.task_id: claim for claim in worker.claim(2)}
    clock.advance(seconds=20)

    begun = {"task_ids": [late, other], "attempts": [claims[late].attempt, 7]}
    call(db, "begin_tasks", **worker.fence, **begun)
    call(db, "begin_tasks", session_id=worker.session_id, token=uuid4(), task_ids=[other], attempts=[1])
    clock.advance(seconds=16)
    assert call(db, "expire_deadlines") == 1
    assert (status(db, late), status(db, other)) == ("running", "retrying")
    clock.advance(seconds=20)
    assert call(db, "expire_deadlines") == 1
