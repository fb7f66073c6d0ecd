"""Stopping a run: what is not running ends now, what runs is asked to stop."""

from uuid import uuid4

import psycopg
import pytest

from tenuto.model.errors import Conflict, NotFound
from tests.support.clock import Clock
from tests.support.database.loops import an_org, by_input, cancel_run, count, lose_workers, run, settle, value
from tests.support.database.task_states import HOT_TABLES, RESTING
from tests.support.database.tasks import a_worker, call, drain, start_graph, start_one, status, statuses, task


@pytest.mark.parametrize("state", RESTING)
def test_a_run_with_nothing_running_is_cancelled_at_once(db: psycopg.Connection, state: str) -> None:
    worker = a_worker(db)
    run_id = task(db, RESTING[state](db, worker))["run_id"]

    cancel_run(db, run_id)
    settle(db)

    seen = run(db, run_id)
    assert seen["status"] == "cancelled"
    assert seen["completed_at"] is not None
    assert seen["cancelled_tasks"] + seen["completed_tasks"] == seen["total_tasks"]
    left = sum(count(db, table, "run_id = %s", run_id) for table in HOT_TABLES[:5])
    assert left == 0
    assert count(db, "awaited_tasks") == 0


def test_a_run_is_cancelled_when_its_last_running_task_has_ended(db: psycopg.Connection) -> None:
    run_id, tasks = start_graph(db, 4, [(0, 3)])
    worker = a_worker(db)
    claims = by_input(worker.claim(2))

    cancel_run(db, run_id)
    settle(db)
    assert statuses(db, tasks) == ["running", "running", "cancelled", "cancelled"]
    assert run(db, run_id)["status"] == "running"
    assert run(db, run_id)["cancel_requested_at"] is not None

    worker.fail(claims[0])
    settle(db)
    assert run(db, run_id)["status"] == "running"
    worker.complete(claims[1])
    settle(db)

    assert run(db, run_id)["status"] == "cancelled"
    assert statuses(db, tasks) == ["cancelled", "completed", "cancelled", "cancelled"]


def test_a_run_whose_tasks_all_complete_anyway_has_completed(db: psycopg.Connection) -> None:
    run_id, _ = start_graph(db, 2)
    worker = a_worker(db)
    claims = worker.claim(2)
    cancel_run(db, run_id)

    worker.complete(*claims)
    settle(db)

    assert run(db, run_id)["status"] == "completed"


def test_a_run_of_one_that_runs_ends_as_its_task_does(db: psycopg.Connection) -> None:
    run_id = start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()
    cancel_run(db, run_id)
    assert run(db, run_id)["status"] == "running"

    worker.interrupt(held)

    assert run(db, run_id)["status"] == "cancelled"


def test_a_cancelled_run_does_not_hold_up_its_dead_worker(db: psycopg.Connection, clock: Clock) -> None:
    run_id, tasks = start_graph(db, 2, [(0, 1)])
    a_worker(db).claim_one()
    cancel_run(db, run_id)

    lose_workers(db, clock)
    settle(db)

    assert run(db, run_id)["status"] == "cancelled"
    assert statuses(db, tasks) == ["cancelled"] * 2


def test_children_of_the_run_are_cancelled_with_it(db: psycopg.Connection) -> None:
    run_id = start_one(db)
    worker = a_worker(db)
    parent = worker.claim_one()
    children = worker.start_children(parent, 1, 2)
    worker.wait(parent, **{"for": "children", "tasks": [str(child) for child in children]})

    cancel_run(db, run_id)
    settle(db)

    assert run(db, run_id)["status"] == "cancelled"
    assert statuses(db, [run_id, *children]) == ["cancelled"] * 3


def test_continue_edges_do_not_go_on_in_a_cancelled_run(db: psycopg.Connection) -> None:
    run_id, tasks = start_graph(db, 3, [(0, 1, "continue"), (1, 2, "failed")])
    worker = a_worker(db)
    held = worker.claim_one()

    cancel_run(db, run_id)
    worker.fail(held)
    settle(db)

    assert statuses(db, tasks) == ["cancelled"] * 3
    assert worker.claim() == []
    assert run(db, run_id)["status"] == "cancelled"


def test_completed_tasks_of_a_cancelled_run_keep_their_outputs(db: psycopg.Connection) -> None:
    run_id, tasks = start_graph(db, 2, [(0, 1)])
    worker = a_worker(db)
    worker.complete(worker.claim_one(), outputs=["kept"])

    cancel_run(db, run_id)
    settle(db)

    assert task(db, tasks[0])["output"] == "kept"
    assert run(db, run_id)["completed_tasks"] == 1


def test_the_reason_is_kept(db: psycopg.Connection) -> None:
    run_id = start_one(db)

    call(db, "cancel_run", org_id=task(db, run_id)["org_id"], run_id=run_id, reason="not needed")

    assert task(db, run_id)["error"] == {"reason": "not needed"}


def test_cancelling_twice_is_fine_while_something_runs(db: psycopg.Connection, clock: Clock) -> None:
    run_id, _ = start_graph(db, 2)
    worker = a_worker(db)
    held = worker.claim_one()
    cancel_run(db, run_id)
    first = run(db, run_id)["cancel_requested_at"]
    clock.advance(seconds=10)

    cancel_run(db, run_id)

    assert run(db, run_id)["cancel_requested_at"] == first
    worker.interrupt(held)
    settle(db)
    assert run(db, run_id)["cancelled_tasks"] == 2


@pytest.mark.parametrize("size", [1, 2])
def test_a_final_run_cannot_be_cancelled(db: psycopg.Connection, size: int) -> None:
    run_id, _ = start_graph(db, size)
    drain(db, a_worker(db))
    settle(db)

    with pytest.raises(Conflict, match="already completed"):
        cancel_run(db, run_id)


def test_a_run_of_another_org_is_not_found(db: psycopg.Connection) -> None:
    run_id = start_one(db)

    with pytest.raises(NotFound):
        cancel_run(db, run_id, org_id=an_org(db, "other"))
    with pytest.raises(NotFound):
        cancel_run(db, uuid4())

    assert status(db, run_id) == "queued"


def test_other_runs_are_untouched(db: psycopg.Connection) -> None:
    run_id, _ = start_graph(db, 2)
    other = start_one(db)

    cancel_run(db, run_id)

    assert status(db, other) == "queued"
    assert value(db, "select count(*) from tenuto.ready_tasks") == 1
