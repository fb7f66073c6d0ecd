"""Closing an open run: it ends when its tasks have ended."""

import psycopg
import pytest

from tenuto.model.errors import Conflict
from tests.support.database.loops import cancel_run, count, run, settle
from tests.support.database.open_runs import add_tasks, close_run, open_run
from tests.support.database.tasks import DEFAULT_ORG, a_worker, call, drain, start_one, status, statuses


def test_a_closed_run_ends_with_its_last_task(db: psycopg.Connection) -> None:
    run_id = open_run(db)
    add_tasks(db, run_id, 1)
    close_run(db, run_id)
    settle(db)
    seen = run(db, run_id)
    assert (seen["status"], seen["open"], seen["total_tasks"]) == ("pending", False, 1)

    drain(db, a_worker(db))
    settle(db)
    seen = run(db, run_id)
    assert (seen["status"], seen["total_tasks"], seen["completed_tasks"]) == ("completed", 1, 1)
    assert count(db, "open_runs") + count(db, "close_requests") + count(db, "run_counts") == 0


def test_a_run_that_is_closed_without_tasks_has_completed(db: psycopg.Connection) -> None:
    run_id = open_run(db)
    close_run(db, run_id)
    settle(db)

    seen = run(db, run_id)
    assert (seen["status"], seen["total_tasks"], seen["output"]) == ("completed", 0, None)
    with pytest.raises(Conflict, match="nothing to retry"):
        call(db, "retry_run", org_id=DEFAULT_ORG, run_id=run_id)


def test_closing_again_changes_nothing(db: psycopg.Connection) -> None:
    run_id = open_run(db)
    close_run(db, run_id)
    close_run(db, run_id)
    settle(db)
    close_run(db, run_id)

    assert run(db, run_id)["total_tasks"] == 0
    assert count(db, "close_requests") + count(db, "run_counts") == 0


def test_a_run_that_was_not_opened_cannot_be_closed(db: psycopg.Connection) -> None:
    run_id = start_one(db)
    with pytest.raises(Conflict, match="started with all its tasks"):
        close_run(db, run_id)


def test_a_cancelled_run_cannot_be_closed(db: psycopg.Connection) -> None:
    run_id = open_run(db)
    cancel_run(db, run_id)
    for _ in range(2):
        with pytest.raises(Conflict, match="was cancelled"):
            close_run(db, run_id)
        settle(db)
    assert run(db, run_id)["status"] == "cancelled"


@pytest.mark.parametrize("how", ["cancel_run", "cancel_runs"])
def test_an_open_run_that_is_cancelled_ends_as_cancelled(db: psycopg.Connection, how: str) -> None:
    run_id = open_run(db, name="import")
    add_tasks(db, run_id, 1)
    drain(db, a_worker(db))
    waiting = add_tasks(db, run_id, 2) if how == "cancel_runs" else []
    if how == "cancel_run":
        cancel_run(db, run_id)
    else:
        call(db, "cancel_runs", org_id=DEFAULT_ORG, name="import")
    settle(db)

    seen = run(db, run_id)
    assert (seen["status"], seen["open"], seen["total_tasks"]) == ("cancelled", False, 1 + len(waiting))
    assert statuses(db, waiting) == ["cancelled"] * len(waiting)
    call(db, "sweep_cancelled")
    assert count(db, "open_runs") + count(db, "close_requests") + count(db, "cancel_requests") == 0


def test_the_retry_of_an_open_run_is_closed_and_runs_what_did_not_complete(db: psycopg.Connection) -> None:
    run_id = open_run(db)
    add_tasks(db, run_id, 1)
    worker = a_worker(db)
    drain(db, worker)
    add_tasks(db, run_id, 2)
    worker.fail(worker.claim_one(), final=True)
    close_run(db, run_id)
    settle(db)

    retry = call(db, "retry_run", org_id=DEFAULT_ORG, run_id=run_id)
    assert not run(db, retry)["open"]
    (claim,) = worker.claim(5)
    assert claim.input == 2
    worker.complete(claim)
    settle(db)
    assert run(db, retry)["status"] == "completed"
    with pytest.raises(Conflict, match="started with all its tasks"):
        add_tasks(db, retry)


def test_a_run_with_attempts_left_runs_again_after_it_was_closed(db: psycopg.Connection) -> None:
    run_id = open_run(db, max_attempts=2)
    add_tasks(db, run_id, 1)
    worker = a_worker(db)
    worker.fail(worker.claim_one(), final=True)
    settle(db)
    assert run(db, run_id)["status"] == "running"

    close_run(db, run_id)
    settle(db)
    assert run(db, run_id)["status"] == "retrying"


def test_a_deleted_run_leaves_nothing(db: psycopg.Connection) -> None:
    run_id = open_run(db)
    with pytest.raises(Conflict, match="not final"):
        call(db, "delete_run", org_id=DEFAULT_ORG, run_id=run_id)
    (task_id,) = add_tasks(db, run_id)
    cancel_run(db, run_id)
    settle(db)
    call(db, "delete_run", org_id=DEFAULT_ORG, run_id=run_id)

    assert status(db, task_id) == "gone"
    assert count(db, "runs") == 0


def test_tasks_are_added_while_a_close_is_not_committed(db: psycopg.Connection, client: psycopg.Connection) -> None:
    run_id = open_run(db)
    close_run(client, run_id)
    add_tasks(db, run_id, 1)
    drain(db, a_worker(db))
    settle(db)
    assert run(db, run_id)["status"] == "running"

    client.rollback()
    assert run(db, run_id)["open"]
    close_run(client, run_id)
    client.commit()
    settle(db)
    assert run(db, run_id)["status"] == "completed"


def test_a_client_that_is_adding_tasks_makes_nobody_wait(db: psycopg.Connection, client: psycopg.Connection) -> None:
    run_id, other = open_run(db), open_run(db)
    add_tasks(client, run_id, 1)
    add_tasks(client, other, 1)
    db.execute("set lock_timeout = '1s'")

    add_tasks(db, run_id, 2)
    drain(db, a_worker(db))
    close_run(db, run_id)
    cancel_run(db, other)
    for loop in ("fold_runs", "settle_runs", "sweep_closed", "sweep_cancelled"):
        call(db, loop)
    assert [run(db, id)["status"] for id in (run_id, other)] == ["running", "pending"]
    with pytest.raises(Conflict, match="it was closed"):
        add_tasks(db, run_id, 3)

    client.commit()
    assert call(db, "sweep_closed") == 2
    assert call(db, "sweep_cancelled") == 0
    drain(db, a_worker(db, "second"))
    call(db, "sweep_cancelled")
    settle(db)
    first, second = run(db, run_id), run(db, other)
    assert (first["status"], first["completed_tasks"]) == ("completed", 2)
    assert (second["status"], second["cancelled_tasks"]) == ("cancelled", 1)
    assert count(db, "open_runs") + count(db, "close_requests") + count(db, "cancel_requests") == 0
