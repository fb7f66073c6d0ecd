"""A client's transaction that cancelled or signalled and stays open: nobody waits for it; its commit does the work."""

from uuid import UUID

import psycopg
import pytest

from tenuto.model.errors import WrongIsolation
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, start_one, status


def cancel(db: Db, what: str, task_id: UUID) -> None:
    key = "run_id" if what == "cancel_run" else "task_id"
    call(db, what, org_id=DEFAULT_ORG, **{key: task_id}, reason="changed my mind")


@pytest.mark.parametrize("what", ["cancel_run", "cancel_task"])
def test_a_running_task_completes_while_its_cancel_is_open(
    db: psycopg.Connection, client: psycopg.Connection, what: str
) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()
    cancel(client, what, task_id)

    assert worker.complete(held) == ["accepted"]
    client.commit()
    assert status(db, task_id) == "completed"


@pytest.mark.parametrize("what", ["cancel_run", "cancel_task"])
def test_a_queued_task_runs_until_its_cancel_commits(
    db: psycopg.Connection, client: psycopg.Connection, what: str
) -> None:
    first, second = start_one(db), start_one(db)
    for task_id in (first, second):
        cancel(client, what, task_id)
    worker = a_worker(db)

    held = worker.claim_one()
    client.commit()

    assert held.task_id == first
    assert status(db, second) == "cancelled"
    assert db.execute("select cancel from tenuto.running_tasks").fetchall() == [(True,)]
    assert db.execute("select error ->> 'reason' from tenuto.task_attempts").fetchall() == [("changed my mind",)]


@pytest.mark.parametrize("what", ["cancel_run", "cancel_task"])
def test_a_cancel_that_is_rolled_back_does_nothing(
    db: psycopg.Connection, client: psycopg.Connection, what: str
) -> None:
    task_id = start_one(db)
    cancel(client, what, task_id)
    client.rollback()

    assert status(db, task_id) == "queued"
    assert db.execute("select from tenuto.cancel_requests").fetchall() == []
    assert db.execute("select cancel_requested_at from tenuto.runs").fetchall() == [(None,)]


def test_waits_and_signals_of_all_runs_go_on_while_a_signal_is_open(
    db: psycopg.Connection, client: psycopg.Connection
) -> None:
    started = [start_one(db) for _ in range(65)]  # more than there are locks
    worker = a_worker(db)
    held = worker.claim(65)
    for task_id in started:
        call(client, "send_signal", org_id=DEFAULT_ORG, run_id=task_id, name="go")

    for claim in held:
        assert worker.wait(claim, **{"for": "signal", "name": "go"}) == "accepted"
    call(db, "send_signal", org_id=DEFAULT_ORG, run_id=started[0], name="go")
    assert [claim.task_id for claim in worker.claim(65)] == [started[0]]
    client.commit()

    assert sorted(claim.task_id for claim in worker.claim(65)) == started[1:]


def test_a_signal_needs_a_transaction_that_sees_who_waits(db: psycopg.Connection, client: psycopg.Connection) -> None:
    task_id = start_one(db)
    client.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ

    with pytest.raises(WrongIsolation, match="not possible in a transaction that is repeatable read"):
        call(client, "send_signal", org_id=DEFAULT_ORG, run_id=task_id, name="go")
