"""running -> completed."""

from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest
from psycopg.types.json import Jsonb

from tenuto.model.errors import InvalidInput
from tests.support.clock import Clock
from tests.support.database.tasks import (
    DEFAULT_ORG,
    Claim,
    Db,
    Worker,
    a_worker,
    call,
    history,
    start,
    start_one,
    status,
    task,
)


def reap(db: Db) -> None:
    """What a dispatcher does about silent workers."""
    for loop in ("expire_sessions", "expire_attempts", "promote_due"):
        call(db, loop)


def output(db: Db, run_id: object) -> object:
    row = db.execute("select output from tenuto.run_status where id = %s", [run_id]).fetchone()
    assert row
    return row[0]


def a_running_task(db: Db, worker: Worker) -> Claim:
    start_one(db, kind={"backoff_seconds": 0})
    return worker.claim_one()


def test_a_completed_task_keeps_its_output(db: Db) -> None:
    task_id = start_one(db)
    worker = a_worker(db)

    assert worker.complete(worker.claim_one(), outputs=[{"sum": 3}]) == ["accepted"]

    assert status(db, task_id) == "completed"
    assert output(db, task_id) == {"sum": 3}


def test_a_late_worker_cannot_complete_a_task_it_lost(db: Db, clock: Clock) -> None:
    first = a_worker(db, "first")
    lost = a_running_task(db, first)
    clock.advance(minutes=5)
    reap(db)
    second = a_worker(db, "second")
    held = second.claim_one()

    assert first.complete(lost) == ["stale_lease"]

    assert status(db, lost.task_id) == "running"
    assert second.complete(held) == ["accepted"]
    assert history(db, lost.task_id) == [(1, "lost"), (2, "completed")]


def test_a_late_completion_is_accepted_until_the_reaper_has_come(db: Db, clock: Clock) -> None:
    worker = a_worker(db)
    held = a_running_task(db, worker)
    clock.advance(hours=5)
    call(db, "expire_sessions")

    assert worker.complete(held) == ["accepted"]

    reap(db)
    assert history(db, held.task_id) == [(1, "completed")]


def test_a_late_completion_is_refused_once_the_reaper_has_come_even_if_nobody_claimed_it_again(
    db: Db, clock: Clock
) -> None:
    worker = a_worker(db)
    lost = a_running_task(db, worker)
    clock.advance(minutes=5)
    reap(db)

    assert worker.complete(lost) == ["stale_lease"]

    assert status(db, lost.task_id) == "queued"
    assert history(db, lost.task_id) == [(1, "lost")]


def test_the_same_fence_again_is_already_accepted_and_keeps_the_first_output(db: Db) -> None:
    worker = a_worker(db)
    held = a_running_task(db, worker)
    worker.complete(held, outputs=["first"])

    assert worker.complete(held, outputs=["second"]) == ["already_accepted"]

    assert output(db, held.task_id) == "first"
    assert history(db, held.task_id) == [(1, "completed")]


def test_the_same_report_is_already_accepted_even_after_its_session_ended(db: Db) -> None:
    worker = a_worker(db)
    held = a_running_task(db, worker)
    worker.complete(held)
    call(db, "close_session", **worker.fence)

    assert worker.complete(held) == ["already_accepted"]


def test_a_task_ended_by_the_reaper_is_never_already_accepted(db: Db, clock: Clock) -> None:
    start_one(db, kind={"max_attempts": 1})
    worker = a_worker(db)
    lost = worker.claim_one()
    clock.advance(minutes=5)
    reap(db)
    assert status(db, lost.task_id) == "failed"

    assert worker.complete(lost) == ["stale_lease"]

    assert status(db, lost.task_id) == "failed"


@pytest.mark.parametrize("wrong", ["attempt", "token", "session", "task"])
def test_any_other_fence_is_stale_and_changes_nothing(db: Db, wrong: str) -> None:
    worker, other = a_worker(db), a_worker(db, "other")
    held = a_running_task(db, worker)
    forged = {
        "attempt": (worker.fence, replace(held, attempt=2)),
        "token": ({**worker.fence, "token": uuid4()}, held),
        "session": (other.fence, held),
        "task": (worker.fence, replace(held, task_id=uuid4())),
    }
    fence, claim = forged[wrong]

    rows = call(db, "complete_tasks", **fence, task_ids=[claim.task_id], attempts=[claim.attempt])

    assert [row["result"] for row in rows] == ["stale_lease"]
    assert status(db, held.task_id) == "running"
    assert worker.complete(held) == ["accepted"]


def test_a_completed_task_is_not_completed_again_by_a_wrong_token(db: Db) -> None:
    worker = a_worker(db)
    held = a_running_task(db, worker)
    worker.complete(held)
    worker.fence["token"] = uuid4()

    assert worker.complete(held) == ["stale_lease"]


def test_a_mixed_batch_is_answered_in_its_order(db: Db) -> None:
    start(db, *range(5))
    worker = a_worker(db)
    claims = worker.claim(5)
    worker.complete(claims[3])
    unknown = replace(claims[0], task_id=uuid4())

    answers = worker.complete(claims[4], unknown, claims[3], claims[0], outputs=[4, "x", 3, 0])

    assert answers == ["accepted", "stale_lease", "already_accepted", "accepted"]
    assert (output(db, claims[4].task_id), output(db, claims[0].task_id)) == (4, 0)


def test_a_report_twice_in_one_batch_ends_the_task_once(db: Db) -> None:
    worker = a_worker(db)
    held = a_running_task(db, worker)

    answers = worker.complete(held, held, outputs=[1, 1])

    assert answers[0] == "accepted"
    assert set(answers) <= {"accepted", "already_accepted"}
    assert history(db, held.task_id) == [(1, "completed")]


def test_an_older_attempt_in_the_same_batch_is_not_taken_for_the_accepted_one(db: Db) -> None:
    worker = a_worker(db)
    forgotten = a_running_task(db, worker)
    worker.beat()
    held = worker.claim_one()
    assert (held.task_id, held.attempt) == (forgotten.task_id, 2)

    assert worker.complete(forgotten, held, outputs=["old", "new"]) == ["stale_lease", "accepted"]

    assert output(db, held.task_id) == "new"


def test_an_attempt_that_ended_otherwise_cannot_complete(db: Db) -> None:
    worker = a_worker(db)
    held = a_running_task(db, worker)
    worker.fail(held, retry=60)

    worker.complete(held, outputs=["late"])

    assert status(db, held.task_id) == "retrying"
    assert history(db, held.task_id) == [(1, "retrying")]


def test_a_task_that_completes_before_it_sees_the_cancel_is_completed(db: Db) -> None:
    worker = a_worker(db)
    held = a_running_task(db, worker)
    call(db, "cancel_run", org_id=DEFAULT_ORG, run_id=held.run_id)

    assert worker.complete(held, outputs=[1]) == ["accepted"]

    assert status(db, held.task_id) == "completed"


def test_the_finished_task_keeps_its_times(db: Db, clock: Clock) -> None:
    task_id = start_one(db)
    started_at = clock.now
    clock.advance(seconds=3)
    worker = a_worker(db)
    held = worker.claim_one()
    clock.advance(seconds=4)
    worker.complete(held)

    row = task(db, task_id)
    assert (row["queued_at"], row["completed_at"], row["duration_seconds"]) == (started_at, clock.now, 4)
    assert row["started_at"] == clock.now - timedelta(seconds=4)


def test_reports_without_outputs_complete_and_an_empty_batch_is_fine(db: Db) -> None:
    worker = a_worker(db)
    held = a_running_task(db, worker)

    assert worker.complete() == []
    assert worker.complete(held) == ["accepted"]
    assert output(db, held.task_id) is None


@pytest.mark.parametrize(
    "values", [{"attempts": [1, 1]}, {"attempts": []}, {"outputs": []}, {"outputs": [Jsonb(1), Jsonb(2)]}], ids=str
)
def test_a_batch_that_does_not_fit_together_is_refused_and_ends_nothing(db: Db, values: dict[str, object]) -> None:
    worker = a_worker(db)
    held = a_running_task(db, worker)

    with pytest.raises(InvalidInput, match="each task needs one of each"):
        call(db, "complete_tasks", **{**worker.fence, "task_ids": [held.task_id], "attempts": [1], **values})

    assert status(db, held.task_id) == "running"
