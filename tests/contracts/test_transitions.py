"""Test databases refuse every move that task_transitions does not allow, however it is made."""

import psycopg
import pytest
from psycopg import errors
from psycopg.types.json import Jsonb

from tests.support.database.tasks import DEFAULT_ORG, a_worker, call, run_status, start, start_graph, start_one, status

MOVE = """
with gone as (delete from tenuto.running_tasks r where id = %s returning to_jsonb(r) as row)
insert into tenuto.pending_tasks
select (jsonb_populate_record(null::tenuto.pending_tasks, row || '{"remaining": 1}')).* from gone
"""
REOPEN = "insert into tenuto.ready_tasks select (jsonb_populate_record(null::tenuto.ready_tasks, %s)).*"
END = """
insert into tenuto.task_attempts (task_id, org_id, ended_at, end_no, attempt, outcome, reported)
values (%s, %s, tenuto.now(), 0, 1, %s, false)
"""


def test_a_move_that_is_not_in_the_table_is_refused(db: psycopg.Connection) -> None:
    task_id = start_one(db)
    a_worker(db).claim_one()

    with pytest.raises(errors.RaiseException, match="moved from running to pending"):
        db.execute(MOVE, [task_id])

    assert status(db, task_id) == "running"


def test_a_final_task_never_reopens(db: psycopg.Connection) -> None:
    start_one(db)
    before = db.execute("select to_jsonb(r) from tenuto.ready_tasks r").fetchall()[0][0]
    worker = a_worker(db)
    worker.complete(worker.claim_one())

    with pytest.raises(errors.RaiseException, match="moved from completed to queued"):
        db.execute(REOPEN, [Jsonb(before)])


def test_a_task_that_leaves_without_arriving_is_found_at_the_commit(db: psycopg.Connection) -> None:
    task_id = start_one(db)

    db.execute("begin")
    db.execute("delete from tenuto.ready_tasks where id = %s", [task_id])
    with pytest.raises(errors.RaiseException, match="is in 0"):
        db.execute("commit")

    assert status(db, task_id) == "queued"


def test_a_task_in_two_places_is_found_at_the_commit(db: psycopg.Connection) -> None:
    task_id = start_one(db)
    a_worker(db).claim_one()

    with pytest.raises(errors.RaiseException, match=r"is in 2 \(final, running\)"):
        db.execute(END, [task_id, DEFAULT_ORG, "completed"])


def test_a_task_that_moves_twice_in_one_transaction_may_do_so(db: psycopg.Connection) -> None:
    worker = a_worker(db)

    with db.transaction():
        task_id = start_one(db)
        worker.interrupt(worker.claim_one())
        worker.complete(worker.claim_one())

    assert status(db, task_id) == "completed"


@pytest.mark.parametrize("role", ["tenuto_worker", "tenuto_dispatcher"])
def test_moves_are_checked_for_every_role(db: psycopg.Connection, role: str) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    db.execute(f"set role {role}".encode())
    worker.claim_one()

    with pytest.raises(errors.RaiseException, match="moved from running to pending"):
        db.execute(MOVE, [task_id])


def test_rows_in_weekly_partitions_are_checked_too(db: psycopg.Connection) -> None:
    db.execute("select tenuto.create_partitions()")
    task_id = start_one(db)
    a_worker(db).claim_one()

    with pytest.raises(errors.RaiseException, match="is in 2"):
        db.execute(END, [task_id, DEFAULT_ORG, "failed"])


def test_a_run_and_a_worker_move_only_where_they_may(db: psycopg.Connection) -> None:
    run_id, _ = start_graph(db, 2)
    worker = a_worker(db)
    worker.complete(*worker.claim(2))
    assert run_status(db, run_id) == "completed"
    call(db, "terminate_worker", org_id=DEFAULT_ORG, worker_id="w")

    with pytest.raises(errors.RaiseException, match=r"run .* moved from completed to running"):
        db.execute("update tenuto.runs set status = 'running', completed_at = null where id = %s", [run_id])
    with pytest.raises(errors.RaiseException, match="worker w moved from terminated to draining"):
        db.execute("update tenuto.workers set status = 'draining', terminated_at = null, drained_at = tenuto.now()")


def test_a_deleted_run_leaves_its_ids_free(db: psycopg.Connection) -> None:
    (task_id,) = start(db)
    worker = a_worker(db)
    worker.complete(worker.claim_one())
    call(db, "delete_run", org_id=DEFAULT_ORG, run_id=task_id)

    assert start(db, ids=[task_id]) == [task_id]


def test_deleting_an_open_task_is_found_at_the_commit(db: psycopg.Connection) -> None:
    task_id = start_one(db)

    with pytest.raises(errors.RaiseException, match="must be in one place"):
        db.execute("delete from tenuto.tasks where id = %s", [task_id])
