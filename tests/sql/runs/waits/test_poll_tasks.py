"""How tasks ended, for parents that gather them; and workers that tell at once what they ended."""

from uuid import uuid4

import psycopg

from tests.support.database.loops import an_org, run
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, start, start_graph, start_one


def test_only_tasks_that_ended_are_answered(db: Db) -> None:
    done, failed, running = start(db, 1, 2, 3)
    worker = a_worker(db)
    claims = {claim.task_id: claim for claim in worker.claim(3)}
    worker.complete(claims[done], outputs=["x"])
    worker.fail(claims[failed], final=True)

    rows = call(db, "poll_tasks", org_id=DEFAULT_ORG, task_ids=[done, failed, running, uuid4()])

    ended = {row["id"]: (row["status"], row["output"], row["error"]) for row in rows}
    assert ended == {done: ("completed", "x", None), failed: ("failed", None, {"message": "boom"})}


def test_tasks_of_others_are_not_answered(db: Db) -> None:
    org = an_org(db, "other")
    task_id = start_one(db, org_id=org)
    worker = a_worker(db, org_id=org)
    worker.complete(worker.claim_one())

    assert call(db, "poll_tasks", org_id=DEFAULT_ORG, task_ids=[task_id]) == []


def test_a_nudge_ends_the_runs_and_wakes_the_workers_of_what_is_ready(db: Db, database: str) -> None:
    run_id, _ = start_graph(db, 1, run={"name": "r", "id": str(uuid4()), "max_attempts": 2})
    worker = a_worker(db)
    worker.complete(worker.claim_one())
    start_graph(db, 1, kinds=[{"type": "app.work", "queue": "mail"}])
    with psycopg.connect(database, autocommit=True) as listener:
        listener.execute("listen tenuto_ready")

        assert call(db, "fold_and_wake_runs", run_ids=[run_id]) == 1

        (woken,) = listener.notifies(timeout=20, stop_after=1)
    assert woken.payload == "mail"
    assert run(db, run_id)["status"] == "completed"
    assert call(db, "fold_and_wake_runs", run_ids=[run_id]) == 0
