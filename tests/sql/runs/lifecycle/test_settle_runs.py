"""running -> retrying -> running, and the handlers of a run that has ended."""

from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.support.clock import Clock
from tests.support.database.loops import cancel_run, cancel_task, run, settle
from tests.support.database.tasks import Worker, a_worker, call, drain, start_graph, statuses

WORK = {"type": "app.work", "max_attempts": 1}
HANDLERS = [{"type": f"app.on_{fate}", "handler": fate} for fate in ("completed", "failed", "cancelled")]


def with_handlers(db: psycopg.Connection, **about: Any) -> tuple[UUID, list[UUID]]:
    """A run of one task with a handler for each way to end."""
    return start_graph(db, 4, kinds=[WORK, *HANDLERS], task_kinds=[0, 1, 2, 3], run={"name": "handled", **about})


def retry_time(db: psycopg.Connection, clock: Clock) -> None:
    clock.advance(minutes=30)
    settle(db)


def test_the_handler_of_a_completed_run_runs_before_it_is_final(db: psycopg.Connection) -> None:
    run_id, tasks = with_handlers(db)
    worker = a_worker(db)
    worker.complete(worker.claim_one())
    assert worker.claim() == []

    settle(db)
    assert run(db, run_id)["status"] == "running"
    assert statuses(db, tasks) == ["completed", "queued", "skipped", "skipped"]

    worker.complete(worker.claim_one())
    settle(db)
    assert run(db, run_id)["status"] == "completed"


def test_the_handler_of_a_failed_run_runs_and_the_run_stays_failed(db: psycopg.Connection) -> None:
    run_id, tasks = with_handlers(db)
    worker = a_worker(db)
    worker.fail(worker.claim_one())
    settle(db)
    assert statuses(db, tasks) == ["failed", "skipped", "queued", "skipped"]

    worker.complete(worker.claim_one())
    settle(db)

    assert run(db, run_id)["status"] == "failed"


def test_the_handler_of_a_cancelled_run_runs_and_a_sweep_does_not_stop_it(db: psycopg.Connection) -> None:
    run_id, tasks = with_handlers(db)
    worker = a_worker(db)
    cancel_run(db, run_id)
    settle(db)
    call(db, "sweep_cancelled")
    cancel_run(db, run_id)
    assert statuses(db, tasks) == ["cancelled", "skipped", "skipped", "queued"]

    held = worker.claim_one()
    call(db, "sweep_cancelled")
    assert worker.beat(held)["cancelled"] == []
    worker.complete(held)
    settle(db)

    assert run(db, run_id)["status"] == "cancelled"


def test_a_completed_run_whose_handler_fails_has_failed(db: psycopg.Connection) -> None:
    run_id, _ = with_handlers(db)
    worker = a_worker(db)
    worker.complete(worker.claim_one())
    settle(db)
    worker.fail(worker.claim_one(), final=True)
    settle(db)

    assert run(db, run_id)["status"] == "failed"


def failed_once(db: psycopg.Connection, worker: Worker, attempts: int = 2) -> tuple[UUID, list[UUID]]:
    """a -> b -> c with run attempts; a completed, b failed, so c was cancelled."""
    run_id, tasks = start_graph(db, 3, [(0, 1), (1, 2)], kinds=[WORK], run={"name": "tried", "max_attempts": attempts})
    worker.complete(worker.claim_one(), outputs=["a"])
    worker.fail(worker.claim_one())
    settle(db)
    return run_id, tasks


def test_a_failed_run_with_attempts_left_retries_what_did_not_complete(db: psycopg.Connection, clock: Clock) -> None:
    worker = a_worker(db, lease="1 day")
    run_id, tasks = failed_once(db, worker)
    seen = run(db, run_id)
    assert (seen["status"], seen["attempt"]) == ("retrying", 1)
    assert seen["next_retry_at"] > clock.now
    assert worker.claim() == []

    retry_time(db, clock)
    seen = run(db, run_id)
    assert (seen["status"], seen["attempt"], seen["next_retry_at"]) == ("running", 2, None)
    assert (seen["total_tasks"], seen["completed_tasks"], seen["failed_tasks"]) == (3, 1, 0)
    b, c = worker.claim_one(), None
    worker.complete(b, outputs=["b"])
    c = worker.claim_one()
    worker.complete(c, outputs=["c"])
    settle(db)

    seen = run(db, run_id)
    assert (b.input, c.input) == (1, 2)
    assert {b.task_id, c.task_id}.isdisjoint(tasks)
    assert (seen["status"], seen["completed_tasks"], seen["error"]) == ("completed", 3, None)
    assert seen["output"] == "c"
    assert statuses(db, tasks) == ["completed", "failed", "cancelled"]


def test_a_run_out_of_attempts_has_failed(db: psycopg.Connection, clock: Clock) -> None:
    worker = a_worker(db, lease="1 day")
    run_id, _ = failed_once(db, worker, attempts=3)
    for _ in range(2):
        retry_time(db, clock)
        worker.fail(worker.claim_one())
        settle(db)

    seen = run(db, run_id)
    assert (seen["status"], seen["attempt"], seen["failed_tasks"]) == ("failed", 3, 1)
    retry_time(db, clock)
    assert worker.claim() == []


def test_handlers_run_once_and_only_at_the_real_end(db: psycopg.Connection, clock: Clock) -> None:
    run_id, tasks = with_handlers(db, max_attempts=2)
    worker = a_worker(db, lease="1 day")
    worker.fail(worker.claim_one())
    settle(db)
    assert run(db, run_id)["status"] == "retrying"
    assert statuses(db, tasks[1:]) == ["pending"] * 3

    retry_time(db, clock)
    worker.fail(worker.claim_one())
    settle(db)
    assert statuses(db, tasks[1:]) == ["skipped", "queued", "skipped"]
    drain(db, worker)
    retry_time(db, clock)

    assert run(db, run_id)["status"] == "failed"
    assert worker.claim() == []


def test_a_run_that_waits_to_be_retried_can_be_cancelled(db: psycopg.Connection, clock: Clock) -> None:
    worker = a_worker(db, lease="1 day")
    run_id, _ = failed_once(db, worker)

    cancel_run(db, run_id)
    settle(db)

    assert run(db, run_id)["status"] == "cancelled"
    retry_time(db, clock)
    assert worker.claim() == []


def test_a_cancel_between_run_attempts_runs_the_cancel_handler(db: psycopg.Connection, clock: Clock) -> None:
    run_id, tasks = with_handlers(db, max_attempts=2)
    worker = a_worker(db, lease="1 day")
    worker.fail(worker.claim_one())
    settle(db)
    cancel_run(db, run_id)
    settle(db)
    assert statuses(db, tasks[1:]) == ["skipped", "skipped", "queued"]

    drain(db, worker)
    settle(db)

    assert run(db, run_id)["status"] == "cancelled"


@pytest.mark.parametrize("attempts", [1, 2])
def test_a_cancelled_task_does_not_start_the_run_again(db: psycopg.Connection, clock: Clock, attempts: int) -> None:
    run_id, tasks = start_graph(db, 2, kinds=[WORK], run={"max_attempts": attempts})
    cancel_task(db, tasks[0])
    worker = a_worker(db, lease="1 day")
    drain(db, worker)
    retry_time(db, clock)

    assert run(db, run_id)["status"] == "cancelled"


def test_children_of_a_task_that_is_tried_again_are_started_by_it_alone(db: psycopg.Connection, clock: Clock) -> None:
    run_id, _ = start_graph(db, 1, kinds=[WORK], run={"max_attempts": 2})
    worker = a_worker(db, lease="1 day")
    parent = worker.claim_one()
    worker.start_children(parent, "child")
    child = worker.claim_one()
    worker.complete(child)
    worker.fail(parent)
    settle(db)
    retry_time(db, clock)

    again = worker.claim(5)
    assert [claim.input for claim in again] == [0]
    worker.complete(*again)
    settle(db)
    assert run(db, run_id)["status"] == "completed"


def test_a_run_tried_again_leaves_handled_children_and_decides_dependents_anew(
    db: psycopg.Connection, clock: Clock
) -> None:
    run_id, _ = start_graph(db, 4, [(1, 3, "continue")], kinds=[WORK], run={"max_attempts": 2})
    worker = a_worker(db, lease="1 day")
    parent, *failing = worker.claim(3)
    worker.start_children(parent, "child", kinds=Jsonb([{"type": "app.child", "optional": True, "max_attempts": 1}]))
    worker.fail(worker.claim_one())
    worker.complete(parent, outputs=["parent"])
    worker.fail(*failing)
    worker.complete(worker.claim_one(), outputs=["first"])
    settle(db)
    retry_time(db, clock)

    again = worker.claim(5)
    assert [claim.input for claim in again] == [1, 2]
    worker.complete(*again, outputs=["one", "two"])
    worker.complete(worker.claim_one(), outputs=["second"])
    settle(db)
    seen = run(db, run_id)
    assert (seen["status"], seen["output"]) == ("completed", ["parent", "two", "second"])


def test_no_more_runs_are_settled_than_asked_for(db: psycopg.Connection) -> None:
    for _ in range(3):
        with_handlers(db)
    worker = a_worker(db)
    worker.complete(*worker.claim(3))
    call(db, "fold_runs")

    assert [call(db, "settle_runs", limit=2) for _ in range(2)] == [2, 1]
