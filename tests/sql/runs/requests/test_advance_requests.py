"""Cancel, retry and delete of large runs are accepted at once and finished in pieces."""

from uuid import UUID

import pytest

from tenuto.model.errors import Cancelled, Conflict, NotFound
from tests.support.database.invariants import assert_invariants
from tests.support.database.loops import an_org, cancel_run, count, run, settle
from tests.support.database.tasks import DEFAULT_ORG, Db, Worker, a_worker, call, start_graph, start_one

SIZE = 1001  # one more than a piece
WORK = {"type": "app.work", "max_attempts": 1}


def a_large_run(
    db: Db, size: int = SIZE, *, org_id: UUID = DEFAULT_ORG, edges: list[tuple[int, int]] | None = None
) -> UUID:
    return start_graph(db, size, edges or [], kinds=[WORK], org_id=org_id)[0]


def a_failed_run(db: Db, worker: Worker) -> UUID:
    """The first task completed, all others failed."""
    run_id = a_large_run(db)
    first, *others = worker.claim(SIZE)
    worker.complete(first, outputs=["kept"])
    worker.fail(*others)
    settle(db)
    assert run(db, run_id)["status"] == "failed"
    return run_id


def retry(db: Db, run_id: UUID) -> UUID:
    return call(db, "retry_run", org_id=DEFAULT_ORG, run_id=run_id)


def delete(db: Db, run_id: UUID) -> bool:
    return call(db, "delete_run", org_id=DEFAULT_ORG, run_id=run_id)


def advance(db: Db, pieces: int = 100) -> int:
    """Work on requests until none is left, at most so many pieces; returns how many there were."""
    done = 0
    while done < pieces and call(db, "advance_requests"):
        done += 1
    return done


def test_a_large_cancel_is_accepted_and_finished_in_pieces(db: Db) -> None:
    run_id = a_large_run(db, edges=[(0, n) for n in range(1, SIZE)])

    assert call(db, "cancel_run", org_id=DEFAULT_ORG, run_id=run_id) is False

    assert run(db, run_id)["cancel_requested_at"] is not None
    assert run(db, run_id)["progress"] == {"action": "cancel", "done_tasks": 0, "total_tasks": None}
    advance(db, 2)  # the list, then the first piece: dependents before what they depend on
    assert count(db, "task_attempts", "outcome = 'cancelled'") == 1000
    assert run(db, run_id)["progress"] == {"action": "cancel", "done_tasks": 1000, "total_tasks": SIZE}
    advance(db)
    settle(db)
    assert (run(db, run_id)["status"], run(db, run_id)["progress"]) == ("cancelled", None)
    assert call(db, "sweep_cancelled") == 1
    assert count(db, "run_request_parts") == 0
    assert_invariants(db)


def test_a_running_task_of_a_large_run_is_told_and_starts_no_children_meanwhile(db: Db) -> None:
    run_id = a_large_run(db)
    worker = a_worker(db)
    held = worker.claim_one()
    cancel_run(db, run_id)

    with pytest.raises(Cancelled):
        worker.start_children(held, 1)
    advance(db)
    settle(db)

    assert worker.beat(held)["cancelled"] == [held.task_id]
    assert run(db, run_id)["status"] == "running"
    assert worker.complete(held) == ["accepted"]
    settle(db)
    assert (run(db, run_id)["status"], run(db, run_id)["completed_tasks"]) == ("cancelled", 1)


def test_cancelling_twice_is_one_request_and_a_cancelled_run_cannot_be_cancelled(db: Db) -> None:
    run_id = a_large_run(db)
    cancel_run(db, run_id)
    cancel_run(db, run_id)
    assert count(db, "run_requests") == 1
    with pytest.raises(Conflict, match="not final"):
        delete(db, run_id)
    advance(db)
    settle(db)

    with pytest.raises(Conflict, match="already cancelled"):
        cancel_run(db, run_id)


def test_a_large_retry_starts_nothing_before_all_tasks_are_copied(db: Db) -> None:
    worker = a_worker(db)
    old = a_failed_run(db, worker)

    new = retry(db, old)

    advance(db, 3)  # the list, what is kept, the tasks that run again
    settle(db)
    assert worker.claim(1) == []
    assert (run(db, new)["status"], run(db, new)["total_tasks"]) == ("pending", SIZE)
    advance(db)
    assert_invariants(db)
    worker.complete(*worker.claim(2 * SIZE))
    settle(db)
    seen = run(db, new)
    assert (seen["status"], seen["total_tasks"], seen["completed_tasks"], seen["retry_of"]) == (
        "completed",
        SIZE,
        SIZE,
        old,
    )
    assert seen["output"][0] == "kept"
    assert_invariants(db)


def test_a_retry_that_is_cancelled_while_it_is_copied_executes_nothing(db: Db) -> None:
    worker = a_worker(db)
    new = retry(db, a_failed_run(db, worker))
    advance(db, 2)

    cancel_run(db, new)
    advance(db)
    settle(db)

    assert worker.claim(1) == []
    assert (run(db, new)["status"], run(db, new)["cancelled_tasks"]) == ("cancelled", SIZE - 1)
    assert_invariants(db)


def test_a_run_that_its_retry_copies_cannot_be_deleted(db: Db) -> None:
    old = a_failed_run(db, a_worker(db))
    new = retry(db, old)

    with pytest.raises(Conflict, match=f"being copied by its retry {new}"):
        delete(db, old)
    advance(db)

    assert delete(db, old) is False


def test_a_large_run_is_gone_at_once_and_its_tasks_in_pieces(db: Db) -> None:
    old = a_failed_run(db, a_worker(db))

    assert delete(db, old) is False

    for again in (delete, retry, cancel_run):
        with pytest.raises(NotFound):
            again(db, old)
    assert count(db, "tasks") == SIZE
    advance(db)
    for table in ("tasks", "task_attempts", "run_requests", "run_request_parts"):
        assert count(db, table) == 0


def test_orgs_take_turns(db: Db) -> None:
    other = an_org(db, "other")
    for _ in range(3):
        cancel_run(db, a_large_run(db))
    cancel_run(db, a_large_run(db, org_id=other), org_id=other)
    db.execute("update tenuto.run_requests set worked_at = now() - interval '1 minute'")

    advance(db, 2)

    touched = db.execute("select count(distinct org_id) from tenuto.run_requests where phase = 'work'").fetchone()
    assert touched == (2,)


def test_small_runs_are_done_in_the_call(db: Db) -> None:
    run_id, _ = start_graph(db, 3)
    assert call(db, "cancel_run", org_id=DEFAULT_ORG, run_id=run_id) is True
    settle(db)
    assert delete(db, run_id) is True
    assert call(db, "cancel_run", org_id=DEFAULT_ORG, run_id=start_one(db)) is True
    assert count(db, "run_requests") == 0


def test_a_request_tells_how_far_it_is(db: Db) -> None:
    old = a_failed_run(db, a_worker(db))
    delete(db, old)
    advance(db, 2)

    (seen,) = call(db, "get_request", org_id=DEFAULT_ORG, run_id=old)

    assert (seen["action"], seen["done_tasks"], seen["total_tasks"], seen["error"]) == ("delete", 1000, SIZE, None)
    assert call(db, "get_request", org_id=an_org(db, "other"), run_id=old) == []
