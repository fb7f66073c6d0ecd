"""A cancel is repeated until nothing of it is open."""

import psycopg

from tests.support.clock import Clock
from tests.support.database.loops import cancel_run, cancel_task, count, lose_workers, run, settle
from tests.support.database.tasks import a_worker, call, start, start_graph, start_one, status, statuses


def test_a_request_is_forgotten_when_nothing_of_it_is_open(db: psycopg.Connection) -> None:
    run_id, _ = start_graph(db, 3)
    cancel_run(db, run_id)
    assert count(db, "cancel_requests") == 1

    assert call(db, "sweep_cancelled") == 1

    assert count(db, "cancel_requests") == 0
    assert call(db, "sweep_cancelled") == 0


def test_a_request_stays_while_something_of_it_runs(db: psycopg.Connection) -> None:
    run_id, _ = start_graph(db, 2)
    worker = a_worker(db)
    held = worker.claim_one()
    cancel_run(db, run_id)

    assert call(db, "sweep_cancelled") == 0
    assert count(db, "cancel_requests") == 1
    worker.complete(held)
    assert call(db, "sweep_cancelled") == 1

    assert count(db, "cancel_requests") == 0


def test_a_task_that_moved_while_the_cancel_looked_is_stopped_by_the_sweep(db: psycopg.Connection) -> None:
    run_id, tasks = start_graph(db, 2)
    worker = a_worker(db)
    held = worker.claim_one()
    cancel_run(db, run_id)
    db.execute("update tenuto.running_tasks set cancel = false")  # as if it had been claimed behind the cancel's back

    call(db, "sweep_cancelled")

    assert worker.beat(held)["cancelled"] == [held.task_id]
    worker.fail(held)
    assert statuses(db, tasks) == ["cancelled", "cancelled"]
    settle(db)
    assert run(db, run_id)["status"] == "cancelled"


def test_children_started_while_the_cancel_waited_are_stopped_by_the_sweep(db: psycopg.Connection) -> None:
    parent = start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()
    (child,) = worker.start_children(held, 1)
    db.execute(
        "insert into tenuto.cancel_requests (id, scope, org_id, requested_at) values (%s, 'task', %s, tenuto.now())",
        [parent, worker.org_id],
    )

    call(db, "sweep_cancelled")

    assert status(db, child) == "cancelled"
    assert worker.beat(held)["cancelled"] == [parent]


def test_a_cancelled_task_whose_worker_dies_is_cancelled(db: psycopg.Connection, clock: Clock) -> None:
    task_id = start_one(db)
    a_worker(db).claim_one()
    cancel_task(db, task_id)

    lose_workers(db, clock)
    call(db, "sweep_cancelled")

    assert status(db, task_id) == "cancelled"
    assert count(db, "cancel_requests") == 0


def test_no_more_requests_are_looked_at_than_asked_for(db: psycopg.Connection) -> None:
    for _ in range(3):
        cancel_run(db, start_one(db))

    assert [call(db, "sweep_cancelled", limit=2) for _ in range(3)] == [2, 1, 0]


def test_requests_behind_a_hundred_that_take_long_are_looked_at_too(db: psycopg.Connection) -> None:
    runs = start(db, *range(101))
    worker = a_worker(db)
    worker.claim(101)
    for run_id in runs:
        cancel_run(db, run_id)
    db.execute("update tenuto.running_tasks set cancel = false where id = %s", [runs[-1]])  # claimed behind its back

    for _ in range(100):  # each finds it with 100 chances in 101
        call(db, "sweep_cancelled")

    assert count(db, "running_tasks", "not cancel") == 0
