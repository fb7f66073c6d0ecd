"""A paused queue gives nothing until it is resumed."""

import psycopg
import pytest

from tenuto.model.errors import InvalidInput, NotFound
from tests.support.database.loops import an_org, count
from tests.support.database.tasks import DEFAULT_ORG, a_worker, call, start, start_one, status


def pause(db: psycopg.Connection, queue: str = "default", *, new: bool = False) -> None:
    call(db, "pause_queue", org_id=DEFAULT_ORG, queue=queue, new=new)


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
    pause(db, "mail", new=True)
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
    pause(db, "mail", new=True)

    resume(db, "mail")

    assert [message.payload for message in db.notifies(timeout=60, stop_after=1)] == ["mail"]


@pytest.mark.parametrize("function", ["pause_queue", "resume_queue", "purge_queue"])
def test_a_queue_that_nothing_has_named_is_refused_with_a_similar_one(db: psycopg.Connection, function: str) -> None:
    start_one(db, kind={"queue": "mail"})

    with pytest.raises(NotFound, match=r"no queue 'emails'; did you mean mail\? or "):
        call(db, function, org_id=DEFAULT_ORG, queue="emails")
    with pytest.raises(NotFound, match=r"no queue 'elsewhere'; (list|pass)"):
        call(db, function, org_id=DEFAULT_ORG, queue="elsewhere")

    assert count(db, "queues", "name <> 'mail'") == 0


def test_a_queue_that_a_worker_serves_by_name_can_be_paused(db: psycopg.Connection) -> None:
    call(db, "register_worker", org_id=DEFAULT_ORG, worker_id="w", queues=["mail"])

    pause(db, "mail")

    assert count(db, "queues", "name = 'mail' and paused_at is not null") == 1


@pytest.mark.parametrize("function", ["pause_queue", "resume_queue", "purge_queue"])
def test_a_star_is_not_the_name_of_a_queue(db: psycopg.Connection, function: str) -> None:
    with pytest.raises(InvalidInput, match=r"the name of a queue is \*, which no queue is called; write the name"):
        call(db, function, org_id=DEFAULT_ORG, queue="*")
    with pytest.raises(InvalidInput, match=r"the name of a queue is \*"):
        pause(db, "*", new=True)


def test_no_task_and_no_worker_names_a_star_as_its_queue(db: psycopg.Connection) -> None:
    for kind in ({"queue": "*"}, {"queue": "*", "priority": 1, "labels": ["gpu=1"]}):
        with pytest.raises(InvalidInput, match=r"the queue of app.work is \*"):
            start_one(db, kind=kind)
    with pytest.raises(InvalidInput, match=r"one of the queues of a worker is \*"):
        a_worker(db).routes(queues=["*"])
