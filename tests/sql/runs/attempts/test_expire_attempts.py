"""running -> retrying | failed, for the attempts of ended sessions."""

import psycopg
import pytest

from tests.support.clock import Clock
from tests.support.database.loops import lose_workers, promote, run
from tests.support.database.tasks import a_worker, call, history, start, start_graph, start_one, status, statuses, task


def test_a_lost_attempt_is_tried_again(db: psycopg.Connection, clock: Clock) -> None:
    task_id = start_one(db)
    a_worker(db, "first").claim_one()

    assert lose_workers(db, clock) == 1

    assert status(db, task_id) == "retrying"
    promote(db, clock)
    second = a_worker(db, "second")
    assert second.complete(second.claim_one()) == ["accepted"]
    assert history(db, task_id) == [(1, "lost"), (2, "completed")]


def test_nothing_is_lost_while_the_lease_lives(db: psycopg.Connection, clock: Clock) -> None:
    start_one(db)
    worker = a_worker(db, lease="60 seconds")
    held = worker.claim_one()
    clock.advance(seconds=50)
    worker.beat(held)

    assert lose_workers(db, clock, seconds=50) == 0
    assert worker.complete(held) == ["accepted"]


def test_a_poison_task_fails_after_max_attempts_losses(db: psycopg.Connection, clock: Clock) -> None:
    task_id = start_one(db, kind={"max_attempts": 3})
    for _ in range(3):
        a_worker(db).claim_one()
        lose_workers(db, clock)
        promote(db, clock)

    assert history(db, task_id) == [(1, "lost"), (2, "lost"), (3, "failed")]
    assert run(db, task_id)["status"] == "failed"
    assert task(db, task_id)["error"] == {"reason": "worker_lost", "worker": "w", "session": "expired"}
    assert a_worker(db).claim() == []


def test_losses_and_failures_draw_on_one_budget(db: psycopg.Connection, clock: Clock) -> None:
    task_id = start_one(db, kind={"max_attempts": 2, "backoff_seconds": 0})
    worker = a_worker(db)
    worker.fail(worker.claim_one())
    promote(db)
    worker.claim_one()

    lose_workers(db, clock)

    assert history(db, task_id) == [(1, "retrying"), (2, "failed")]


def test_losses_can_have_a_budget_of_their_own(db: psycopg.Connection, clock: Clock) -> None:
    task_id = start_one(db, kind={"max_attempts": 1, "max_losses": 3})
    for _ in range(2):
        a_worker(db).claim_one()
        lose_workers(db, clock)
        promote(db, clock)
    assert status(db, task_id) == "queued"

    a_worker(db).claim_one()
    lose_workers(db, clock)

    assert status(db, task_id) == "failed"


@pytest.mark.parametrize("ended", ["closed", "replaced", "terminated", "failed"])
def test_every_way_a_session_ends_gives_its_tasks_back(db: psycopg.Connection, ended: str) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    worker.claim_one()
    org = {"org_id": worker.org_id, "worker_id": "w"}
    if ended == "closed":
        call(db, "close_session", **worker.fence)
    elif ended == "replaced":
        a_worker(db)
    elif ended == "terminated":
        call(db, "terminate_worker", **org)
    else:
        call(db, "fail_worker", **org, error="no disk")

    assert call(db, "expire_attempts") == 1
    assert call(db, "expire_attempts") == 0

    assert status(db, task_id) == "retrying"
    error = db.execute("select error ->> 'session' from tenuto.task_attempts where task_id = %s", [task_id]).fetchone()
    assert error == (ended,)


def test_the_session_of_another_worker_keeps_its_attempts(db: psycopg.Connection, clock: Clock) -> None:
    tasks = start(db, 1, 2)
    a_worker(db, "silent", lease="10 seconds").claim_one()
    living = a_worker(db, "living", lease="1 hour")
    held = living.claim_one()

    assert lose_workers(db, clock) == 1

    assert sorted(statuses(db, tasks)) == ["retrying", "running"]
    assert living.complete(held) == ["accepted"]


def test_no_more_attempts_are_taken_than_asked_for(db: psycopg.Connection, clock: Clock) -> None:
    start(db, 1, 2, 3)
    a_worker(db).claim(3)
    clock.advance(minutes=5)
    call(db, "expire_sessions")

    assert [call(db, "expire_attempts", limit=2) for _ in range(3)] == [2, 1, 0]


def test_the_loss_that_spends_the_budget_ends_the_dependents(db: psycopg.Connection, clock: Clock) -> None:
    kinds = [{"type": "app.work", "max_attempts": 1}]
    run_id, tasks = start_graph(db, 3, [(0, 1), (0, 2, "continue")], kinds=kinds)
    a_worker(db).claim_one()

    lose_workers(db, clock)

    assert statuses(db, tasks) == ["failed", "cancelled", "queued"]
    assert run(db, run_id)["status"] == "running"


def test_a_late_report_of_any_kind_is_stale_after_the_loss(db: psycopg.Connection, clock: Clock) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    lost = worker.claim_one()
    lose_workers(db, clock)

    answers = [
        worker.complete(lost),
        worker.fail(lost),
        worker.snooze(lost),
        worker.interrupt(lost),
        [worker.wait(lost, **{"for": "time", "seconds": 1})],
    ]
    assert answers == [["stale_lease"]] * 5
    assert status(db, task_id) == "retrying"
    assert history(db, task_id) == [(1, "lost")]


def test_attempts_are_given_back_even_after_their_session_was_pruned(db: psycopg.Connection, clock: Clock) -> None:
    task_id = start_one(db)
    worker = a_worker(db, "leaver")
    worker.claim_one()
    call(db, "close_session", **worker.fence)
    clock.advance(days=20)
    assert call(db, "prune_workers") == [{"sessions": 1, "workers": 1, "decisions": 0, "log_lines": 0}]

    assert call(db, "expire_attempts") == 1

    assert status(db, task_id) == "retrying"
