"""Attempts are counted as users do: those that failed or were lost, plus the current one."""

from uuid import uuid4

import psycopg

from tests.support.clock import Clock
from tests.support.database.loops import an_org, promote, settle
from tests.support.database.tasks import DEFAULT_ORG, Worker, a_worker, call, start_one, task


def number(db: psycopg.Connection, task_id: object) -> int:
    return task(db, task_id)["attempt"]  # type: ignore[arg-type]


def wait_and_wake(worker: Worker, clock: Clock) -> None:
    worker.wait(worker.claim_one(), **{"for": "time", "seconds": 60})
    clock.advance(seconds=61)
    call(worker.db, "wake_waiting")


def test_claims_after_waits_snoozes_and_returns_do_not_count(db: psycopg.Connection, clock: Clock) -> None:
    task_id = start_one(db)
    worker = a_worker(db, lease="1 day")
    assert number(db, task_id) == 0

    for _ in range(3):
        wait_and_wake(worker, clock)
        assert number(db, task_id) == 1
    held = worker.claim_one()

    assert (held.attempt, number(db, task_id)) == (4, 1)
    assert call(db, "explain_task", org_id=DEFAULT_ORG, task_id=task_id).endswith("attempt 1 of 3")
    worker.complete(held)
    settle(db)
    assert number(db, task_id) == 1
    attempts = call(db, "list_attempts", org_id=DEFAULT_ORG, task_id=task_id)
    assert [(row["attempt"], row["outcome"]) for row in attempts] == [
        (1, "waiting"), (1, "waiting"), (1, "waiting"), (1, "completed"),
    ]  # fmt: skip


def test_failures_and_losses_count(db: psycopg.Connection, clock: Clock) -> None:
    task_id = start_one(db)
    worker = a_worker(db, lease="1 day")
    wait_and_wake(worker, clock)
    worker.fail(worker.claim_one(), retry=60)

    assert (number(db, task_id), task(db, task_id)["status"]) == (1, "retrying")
    assert "after attempt 1 failed" in call(db, "explain_task", org_id=DEFAULT_ORG, task_id=task_id)
    promote(db, clock)
    worker.claim_one()
    assert number(db, task_id) == 2
    call(db, "close_session", **worker.fence)
    call(db, "expire_attempts")
    promote(db, clock)
    worker = a_worker(db, "second")
    held = worker.claim_one()

    assert (held.attempt, number(db, task_id)) == (4, 3)
    (counted,) = call(db, "get_failures", org_id=DEFAULT_ORG, task_id=task_id)
    assert (counted["failures"], counted["losses"]) == (1, 1)
    worker.fail(held)
    settle(db)
    assert (number(db, task_id), task(db, task_id)["status"]) == (3, "failed")
    assert "attempt 3 of 3" in call(db, "explain_task", org_id=DEFAULT_ORG, task_id=task_id)
    attempts = call(db, "list_attempts", org_id=DEFAULT_ORG, task_id=task_id)
    assert [(row["attempt"], row["outcome"]) for row in attempts] == [
        (1, "waiting"), (1, "retrying"), (2, "lost"), (3, "failed"),
    ]  # fmt: skip


def test_failures_are_counted_for_tasks_of_the_own_org_only(db: psycopg.Connection) -> None:
    task_id = start_one(db)

    assert call(db, "get_failures", org_id=DEFAULT_ORG, task_id=task_id) == [{"failures": 0, "losses": 0}]
    assert call(db, "get_failures", org_id=an_org(db, "other"), task_id=task_id) == []
    assert call(db, "get_failures", org_id=DEFAULT_ORG, task_id=uuid4()) == []
