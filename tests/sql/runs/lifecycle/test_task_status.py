"""Every task with its live state, as if it were a column."""

from datetime import timedelta
from typing import Any

import psycopg
import pytest

from tests.support.clock import Clock
from tests.support.database.loops import cancel_task, lose_workers, promote
from tests.support.database.task_states import RESTING
from tests.support.database.tasks import a_worker, call, start_graph, start_one, task

SHOWN = {
    "pending": ("pending", None),
    "queued": ("queued", None),
    "delayed": ("queued", None),
    "snoozed": ("queued", None),
    "retrying": ("retrying", None),
    "waiting_for_children": ("waiting", "children"),
    "waiting_for_a_signal": ("waiting", "signal"),
    "waiting_for_a_time": ("waiting", "time"),
    "waiting_for_a_limit": ("queued", "limit"),
}


def seen(db: psycopg.Connection, task_id: Any, *columns: str) -> tuple[Any, ...]:
    row = task(db, task_id)
    return tuple(row[column] for column in columns)


@pytest.mark.parametrize("state", RESTING)
def test_a_task_that_does_not_run_shows_where_it_is(db: psycopg.Connection, clock: Clock, state: str) -> None:
    worker = a_worker(db)
    task_id = RESTING[state](db, worker)

    assert seen(db, task_id, "status", "waits_for") == SHOWN[state]
    assert seen(db, task_id, "completed_at", "duration_seconds", "session_id", "worker_id", "output") == (None,) * 5
    tried = state in ("snoozed", "retrying") or (state.startswith("waiting_for_") and not state.endswith("limit"))
    assert seen(db, task_id, "attempt", "started_at") == ((1, clock.now) if tried else (0, None))
    assert seen(db, task_id, "failures", "losses") == (int(state == "retrying"), 0)
    assert seen(db, task_id, "created_at") == (clock.now,)


def test_a_running_task_shows_who_has_it_and_until_when(db: psycopg.Connection, clock: Clock) -> None:
    task_id = start_one(db, kind={"timeout_seconds": 10})
    worker = a_worker(db, "host-1", lease="30 seconds")
    clock.advance(seconds=1)
    held = worker.claim_one()
    call(db, "report_progress", **worker.fence, task_ids=[task_id], attempts=[1], progress=[0.5], messages=["half"])

    assert seen(db, task_id, "status", "attempt", "worker_id", "session_id") == (
        "running", 1, "host-1", worker.session_id,
    )  # fmt: skip
    assert seen(db, task_id, "lease_expires_at") == (clock.now + timedelta(seconds=29),)
    assert seen(db, task_id, "last_heartbeat") == (clock.now,)  # of the claim
    assert seen(db, task_id, "started_at", "completed_at", "duration_seconds") == (clock.now, None, None)
    assert seen(db, task_id, "deadline_at", "progress", "message", "cancel_requested") == (
        clock.now + timedelta(seconds=15), 0.5, "half", False,
    )  # fmt: skip
    cancel_task(db, held.task_id)
    assert seen(db, task_id, "cancel_requested") == (True,)


def test_a_completed_task_keeps_its_times_and_counts(db: psycopg.Connection, clock: Clock) -> None:
    task_id = start_one(db, kind={"max_attempts": 5, "backoff_seconds": 0})
    worker = a_worker(db)
    started = clock.now
    worker.fail(worker.claim_one())
    promote(db)
    worker.claim_one()
    lose_workers(db, clock)
    promote(db)
    second = a_worker(db, "second")
    held = second.claim_one()
    queued = clock.now
    clock.advance(seconds=10)
    second.complete(held, outputs=[{"n": 1}])

    assert seen(db, task_id, "status", "attempt", "failures", "losses", "output") == ("completed", 3, 1, 1, {"n": 1})
    assert seen(db, task_id, "queued_at", "started_at", "completed_at") == (queued, started, clock.now)
    assert seen(db, task_id, "duration_seconds", "error") == ((clock.now - started).total_seconds(), None)


@pytest.mark.parametrize("lost", [True, False])
def test_a_failed_task_says_what_spent_its_budget(db: psycopg.Connection, clock: Clock, lost: bool) -> None:
    task_id = start_one(db, kind={"max_attempts": 2, "backoff_seconds": 0})
    worker = a_worker(db)
    worker.fail(worker.claim_one())
    promote(db)
    held = worker.claim_one()
    if lost:
        lose_workers(db, clock)
    else:
        worker.fail(held, error="worker_lost")

    assert seen(db, task_id, "status", "failures", "losses") == ("failed", 1 if lost else 2, 1 if lost else 0)


def test_the_word_of_a_worker_is_not_taken_for_a_loss(db: psycopg.Connection) -> None:
    task_id = start_one(db, kind={"max_attempts": 1})
    worker = a_worker(db)
    held = worker.claim_one()
    errors = 'array[\'{"reason": "worker_lost"}\'::jsonb]'
    fence = [worker.session_id, worker.token, [held.task_id], [held.attempt]]
    db.execute(f"select tenuto.fail_tasks(%s, %s, %s, %s, {errors})".encode(), fence)

    assert seen(db, task_id, "failures", "losses") == (1, 0)


def test_a_task_that_was_never_claimed_ends_without_a_start(db: psycopg.Connection, clock: Clock) -> None:
    task_id = start_one(db)
    clock.advance(seconds=5)
    cancel_task(db, task_id)

    assert seen(db, task_id, "status", "attempt", "failures", "losses") == ("cancelled", 0, 0, 0)
    assert seen(db, task_id, "started_at", "completed_at", "duration_seconds") == (None, clock.now, None)


def test_a_skipped_task_is_final(db: psycopg.Connection, clock: Clock) -> None:
    _, (_, skipped) = start_graph(db, 2, [(0, 1, "failed")])
    worker = a_worker(db)
    worker.complete(worker.claim_one())

    assert seen(db, skipped, "status", "attempt", "started_at") == ("skipped", 0, None)
    assert seen(db, skipped, "completed_at") == (clock.now,)


def test_a_pending_task_says_how_many_it_waits_for(db: psycopg.Connection) -> None:
    _, tasks = start_graph(db, 3, [(0, 2), (1, 2)])
    worker = a_worker(db)
    assert seen(db, tasks[2], "remaining_dependencies") == (2,)

    worker.complete(worker.claim_one())

    assert seen(db, tasks[2], "status", "remaining_dependencies") == ("pending", 1)


def test_a_retrying_task_says_when(db: psycopg.Connection, clock: Clock) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    worker.fail(worker.claim_one(), retry=30)

    assert seen(db, task_id, "next_retry_at") == (clock.now + timedelta(seconds=30),)


def test_what_the_task_was_started_with_is_shown(db: psycopg.Connection) -> None:
    kind = {"type": "shop.send", "queue": "mail", "labels": ["gpu"], "priority": 3, "max_attempts": 7, "max_losses": 9}
    task_id = start_one(db, kind=kind)

    assert seen(db, task_id, "type", "queue", "labels", "language", "priority", "max_attempts", "max_losses") == (
        "shop.send", "mail", ["gpu"], "python", 3, 7, 9,
    )  # fmt: skip
