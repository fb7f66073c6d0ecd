"""Runs that have nothing left to do end, whoever has missed it."""

from tests.support.database.loops import cancel_run, count, run
from tests.support.database.open_runs import open_run
from tests.support.database.stranded import a_cancelled_run_without_a_request, a_run_that_nobody_ended
from tests.support.database.tasks import Db, a_worker, call, run_status, start_graph


def test_a_run_whose_tasks_have_all_ended_ends(db: Db) -> None:
    run_id = a_run_that_nobody_ended(db)
    assert run_status(db, run_id) == "running"

    assert call(db, "sweep_runs") == 1

    assert run_status(db, run_id) == "completed"
    assert call(db, "sweep_runs") == 0


def test_a_cancelled_run_without_a_request_ends(db: Db) -> None:
    run_id = a_cancelled_run_without_a_request(db)

    assert call(db, "sweep_runs") == 1
    call(db, "sweep_cancelled")

    assert (run_status(db, run_id), run(db, run_id)["cancelled_tasks"]) == ("cancelled", 2)


def test_a_cancelled_open_run_is_closed(db: Db) -> None:
    run_id = open_run(db)
    cancel_run(db, run_id)
    db.execute("insert into tenuto.open_runs (run_id, org_id, opened_at) select id, org_id, now() from tenuto.runs")
    db.execute("delete from tenuto.close_requests")
    db.execute("delete from tenuto.cancel_requests")
    db.execute("delete from tenuto.run_counts")

    assert call(db, "sweep_runs") == 1
    call(db, "sweep_closed")
    call(db, "sweep_cancelled")

    assert run_status(db, run_id) == "cancelled"


def test_runs_that_still_wait_for_something_are_left_alone(db: Db) -> None:
    start_graph(db, 2, [(0, 1)])
    start_graph(db, 2, run={"hold": True})
    open_run(db)
    running, _ = start_graph(db, 1, run={"max_attempts": 2})
    worker = a_worker(db)
    worker.claim(5)
    cancel_run(db, running)
    requests = count(db, "cancel_requests")

    assert call(db, "sweep_runs") == 0

    assert (count(db, "cancel_requests"), run_status(db, running)) == (requests, "running")


def test_each_call_looks_at_the_next_runs(db: Db) -> None:
    runs = [a_run_that_nobody_ended(db) for _ in range(3)]

    assert [call(db, "sweep_runs", limit=1) for _ in range(3)] == [1, 1, 1]

    assert [run_status(db, run_id) for run_id in runs] == ["completed"] * 3
