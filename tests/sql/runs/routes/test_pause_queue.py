"""A paused queue gives nothing until it is resumed."""

from uuid import UUID

import psycopg

from tests.support.database.loops import an_org
from tests.support.database.tasks import DEFAULT_ORG, a_worker, call, start, start_one, status


def pause(db: psycopg.Connection, queue: str = "default", org_id: UUID = DEFAULT_ORG) -> None:
    call(db, "pause_queue", org_id=org_id, queue=queue)


def resume(db: psycopg.Connection, queue: str = "default") -> None:
    call(db, "resume_queue", org_id=DEFAULT_ORG, queue=queue)


def test_a_paused_queue_gives_nothing_and_a_resumed_one_does(db: psycopg.Connection) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    pause(db)
    assert worker.claim() == []
    assert status(db, task_id) == "queued"

    resume(db)

    assert worker.claim_one().task_id == task_id


def test_what_runs_goes_on(db: psycopg.Connection) -> None:
    start_one(db)
    worker = a_worker(db)
    held = worker.claim_one()
    pause(db)

    assert worker.beat(held)["cancelled"] == []
    assert worker.complete(held) == ["accepted"]


def test_a_queue_can_be_paused_before_its_first_task(db: psycopg.Connection) -> None:
    pause(db, "mail")
    start(db, 1, kind={"queue": "mail"})
    start(db, 2, kind={"queue": "mail", "type": "app.new"})
    worker = a_worker(db)
    assert worker.claim(5) == []

    resume(db, "mail")

    assert len(worker.claim(5)) == 2


def test_other_queues_and_other_orgs_are_not_paused(db: psycopg.Connection) -> None:
    start(db, "mine", kind={"queue": "mail"})
    start(db, "other queue", kind={"queue": "default"})
    other = an_org(db, "other")
    start(db, "other org", kind={"queue": "mail"}, org_id=other)

    pause(db, "mail")

    assert [claim.input for claim in a_worker(db).claim(5)] == ["other queue"]
    assert [claim.input for claim in a_worker(db, org_id=other).claim(5)] == ["other org"]


def test_pausing_and_resuming_twice_is_fine(db: psycopg.Connection) -> None:
    start_one(db)
    resume(db)
    pause(db)
    paused_at = db.execute("select paused_at from tenuto.queues where name = 'default'").fetchone()
    pause(db)
    assert db.execute("select paused_at from tenuto.queues where name = 'default'").fetchone() == paused_at
    resume(db)
    resume(db)

    assert len(a_worker(db).claim()) == 1


def test_resuming_wakes_the_workers_of_the_queue(db: psycopg.Connection) -> None:
    db.execute("listen tenuto_ready")
    pause(db, "mail")

    resume(db, "mail")

    assert [message.payload for message in db.notifies(timeout=60, stop_after=1)] == ["mail"]
