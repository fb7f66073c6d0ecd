"""What a dispatcher should do now, and when there will be more."""

from collections.abc import Callable
from datetime import timedelta
from uuid import UUID

import pytest
from psycopg.types.json import Jsonb

from tenuto.db import monitoring
from tests.support.clock import Clock
from tests.support.database.limits import a_rate, start_limited
from tests.support.database.loops import an_org, cancel_run, lose_workers, settle
from tests.support.database.outbox import publish
from tests.support.database.schedules import put
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, start_graph, start_one
from tests.support.database.users import an_entry
from tests.support.database.wrappers import call_wrapper


def due(db: Db, *, of_audit: bool = False) -> dict[str, float]:
    """What has or will have something to do, in how many seconds."""
    rows = call(db, "list_due_maintenance")
    due = {row["what"]: row["due_in_seconds"] for row in rows if row["due_in_seconds"] is not None}
    return due if of_audit else {what: seconds for what, seconds in due.items() if what != "seal_audit"}


def test_an_empty_database_has_nothing_to_do(db: Db, database: str) -> None:
    rows = call_wrapper(database, monitoring.list_due_maintenance)

    assert {row.due_in_seconds for row in rows} == {None}
    assert "promote_due" in {row.what for row in rows}


def test_a_ready_task_needs_nobody_and_a_worker_only_its_lease(db: Db, clock: Clock) -> None:
    start_one(db)
    a_worker(db, lease="60 seconds").claim_one()

    assert due(db) == {"expire_sessions": 60}


def a_delay(db: Db) -> None:
    start_one(db, details=Jsonb([{"task": 0, "delay_seconds": 30}]))


def a_sleep(db: Db) -> None:
    start_one(db)
    worker = a_worker(db, lease="1 day")
    worker.wait(worker.claim_one(), **{"for": "time", "seconds": 30})


def a_lease(db: Db) -> None:
    a_worker(db, lease="30 seconds")


def a_deadline(db: Db) -> None:
    start_one(db, kind={"timeout_seconds": 25})
    a_worker(db, lease="1 day").claim_one()


def a_silence(db: Db) -> None:
    start_one(db, kind={"heartbeat_timeout_seconds": 30, "timeout_seconds": 60})
    a_worker(db, lease="1 day").claim_one()


def a_taken_effect(db: Db) -> None:
    publish(db, 1)
    call(db, "take_effects", owner="d", kinds=["deliver"], limit=1, lease="30 seconds")


def a_rate_that_was_used(db: Db) -> None:
    start_limited(db, 2, a_rate("r", 2, 60))
    assert call(db, "admit_rates") == 1


def a_schedule(db: Db) -> None:
    put(db, call(db, "now") + timedelta(seconds=30))


TIMED: dict[str, Callable[[Db], None]] = {
    "promote_due": a_delay,
    "wake_waiting": a_sleep,
    "expire_sessions": a_lease,
    "expire_deadlines": a_deadline,
    "drain_outbox": a_taken_effect,
    "fire_schedules": a_schedule,
    "admit_rates": a_rate_that_was_used,
}


@pytest.mark.parametrize("what", TIMED)
def test_what_waits_for_a_time_says_how_long_and_is_due_then(db: Db, clock: Clock, what: str) -> None:
    TIMED[what](db)
    assert due(db)[what] == 30

    clock.advance(seconds=29)
    assert due(db)[what] == 1
    clock.advance(minutes=5)
    assert due(db)[what] == 0


def test_entries_of_the_audit_log_are_due_to_be_sealed_at_once(db: Db) -> None:
    an_entry(db)
    assert due(db, of_audit=True) == {"seal_audit": 0}

    call(db, "seal_audit")

    assert due(db, of_audit=True) == {}
    call(db, "pause_queue", org_id=DEFAULT_ORG, queue="default")  # by a direct client
    assert due(db, of_audit=True) == {"seal_audit": 0}
    call(db, "seal_audit")
    assert due(db, of_audit=True) == {}


def test_a_silent_task_is_due_before_its_deadline(db: Db, clock: Clock) -> None:
    a_silence(db)

    assert due(db)["expire_deadlines"] == 30


@pytest.mark.parametrize(
    "function", ["promote_due", "wake_waiting", "expire_sessions", "expire_deadlines", "admit_rates"]
)
def test_what_was_done_is_not_due_any_more(db: Db, clock: Clock, function: str) -> None:
    TIMED[function](db)
    clock.advance(seconds=31)
    assert due(db)[function] == 0

    assert call(db, function) == 1

    assert due(db).get(function, 30) > 0


def test_attempts_are_due_when_a_session_has_just_ended(db: Db, clock: Clock) -> None:
    start_one(db)
    a_worker(db).claim_one()
    clock.advance(minutes=5)
    assert "expire_attempts" not in due(db)
    call(db, "expire_sessions")

    assert due(db)["expire_attempts"] == 0

    clock.advance(seconds=6)
    assert "expire_attempts" not in due(db)


def test_the_task_of_a_killed_worker_is_due_at_once(db: Db, clock: Clock) -> None:
    start_one(db)
    a_worker(db).claim_one()

    lose_workers(db, clock)

    assert due(db)["promote_due"] == 0


def test_counts_are_to_be_folded_and_then_not(db: Db) -> None:
    start_graph(db, 2)
    worker = a_worker(db)
    worker.complete(worker.claim_one())
    assert due(db)["fold_runs"] == 0

    call(db, "fold_runs")

    assert "fold_runs" not in due(db)


def a_run_with_a_handler(db: Db) -> UUID:
    kinds = [{"type": "app.work"}, {"type": "app.after", "handler": "completed"}]
    return start_graph(db, 2, kinds=kinds, task_kinds=[0, 1])[0]


def test_a_run_is_to_be_settled_when_only_its_handlers_are_left(db: Db) -> None:
    a_run_with_a_handler(db)
    worker = a_worker(db)
    worker.complete(worker.claim_one())
    assert "settle_runs" not in due(db)
    call(db, "fold_runs")

    assert due(db)["settle_runs"] == 0

    call(db, "settle_runs")
    assert "settle_runs" not in due(db)


def test_a_run_is_to_be_settled_when_its_next_attempt_is_due_or_it_was_cancelled(db: Db, clock: Clock) -> None:
    run_id, _ = start_graph(db, 1, run={"name": "again", "max_attempts": 2})
    worker = a_worker(db)
    worker.fail(worker.claim_one(), final=True)
    settle(db)
    assert 1 <= due(db)["settle_runs"] <= 3

    cancel_run(db, run_id)
    assert due(db)["settle_runs"] == 0

    settle(db)
    assert "settle_runs" not in due(db)


def test_cancels_are_swept_until_they_are_done_with(db: Db) -> None:
    run_id = start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()
    cancel_run(db, run_id)
    assert due(db)["sweep_cancelled"] == 0

    worker.fail(held)
    call(db, "sweep_cancelled")

    assert "sweep_cancelled" not in due(db)


def test_effects_that_wait_are_due_and_those_that_are_done_are_not(db: Db) -> None:
    publish(db, 1)
    assert due(db)["drain_outbox"] == 0

    (effect,) = call(db, "take_effects", owner="d", kinds=["deliver"], limit=1, lease="30 seconds")
    call(db, "finish_effects", owner="d", ids=[effect["id"]])

    assert "drain_outbox" not in due(db)


def test_a_paused_schedule_is_not_due(db: Db, clock: Clock) -> None:
    put(db, clock.now)
    assert due(db) == {"fire_schedules": 0}

    call(db, "pause_schedule", org_id=DEFAULT_ORG, name="nightly")

    assert due(db) == {}


def test_leases_of_every_org_count(db: Db, clock: Clock) -> None:
    a_worker(db, lease="50 seconds")
    a_worker(db, org_id=an_org(db, "other"), lease="20 seconds")

    assert due(db) == {"expire_sessions": 20}
