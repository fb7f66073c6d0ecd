"""running -> completed."""

import psycopg

from tests.support.clock import Clock
from tests.support.kernel import a_worker, history, start_one, status


def test_a_completed_task_keeps_its_output(db: psycopg.Connection) -> None:
    task_id = start_one(db)
    worker = a_worker(db)

    assert worker.complete(worker.claim_one(), outputs=[{"sum": 3}]) == ["accepted"]

    assert status(db, task_id) == "completed"
    assert db.execute("select output from tenuto.run_status where id = %s", [task_id]).fetchone() == ({"sum": 3},)


def test_a_late_worker_cannot_complete_a_task_it_lost(db: psycopg.Connection, clock: Clock) -> None:
    task_id = start_one(db, kind={"backoff_seconds": 0})
    first = a_worker(db, "first")
    lost = first.claim_one()
    clock.advance(minutes=5)
    db.execute("select tenuto.expire_sessions()")
    db.execute("select tenuto.expire_attempts()")
    db.execute("select tenuto.promote_due()")
    second = a_worker(db, "second")
    held = second.claim_one()

    assert first.complete(lost) == ["stale_lease"]

    assert status(db, task_id) == "running"
    assert second.complete(held) == ["accepted"]
    assert history(db, task_id) == [(1, "lost"), (2, "completed")]
