"""Events that wait for a paused job, or for a version of a DAG that is not current yet; and those that come late."""

from typing import Any

import psycopg
import pytest

from tests.support.database.dags import cutover, deploy, rollback, set_status
from tests.support.database.events import (
    NO_OUTPUT,
    RAW,
    a_reader,
    claim_like,
    commit,
    queued,
    reactions,
    readers,
    reasons,
    route,
    versions,
)
from tests.support.database.jobs import deployed, publish, trigger
from tests.support.database.outbox import effects, take
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call

CHAIN = readers(a_reader("daily"), a_reader("report", inputs=[{"from": {"job": "daily"}}]))


def edited(document: dict[str, Any], job: str, **changes: Any) -> dict[str, Any]:
    return {**document, "jobs": [{**item, **changes} if item["name"] == job else item for item in document["jobs"]]}


NEXT = edited(CHAIN, "daily", config={"sql": "select 2"})


def pause(db: Db, verb: str = "pause", job: str = "daily", **options: Any) -> None:
    call(db, f"{verb}_job", org_id=DEFAULT_ORG, dag="sales", name=job, **options)


def route_version(db: Db, version: int) -> None:
    """As a cutover does it for the version that becomes current."""
    db.execute("select tenuto._route_paused(org_id, id) from tenuto.dag_versions where version = %s", [version])
    route(db)


def test_events_of_a_paused_job_wait_until_it_is_resumed(db: Db):
    deployed(db, readers(a_reader()))
    worker = a_worker(db)
    pause(db, reason="disk full")
    commit(worker, "mon")
    commit(worker, "mon")
    route(db)
    assert (reactions(db), queued(db)) == ([("daily", "mon", "paused")] * 2, [])
    assert reasons(db) == ["the job is paused, disk full"] * 2

    pause(db, "resume")
    route(db)

    assert reactions(db) == [("daily", "mon", "triggered"), ("daily", "mon", "deduped")]
    assert queued(db) == [("daily", "mon", False)]
    pause(db, "resume")
    route(db)
    assert queued(db) == [("daily", "mon", False)]


def test_events_of_a_job_that_was_paused_again_go_on_waiting(db: Db):
    deployed(db, readers(a_reader()))
    pause(db)
    commit(a_worker(db), "mon")
    route(db)
    pause(db, "resume")
    pause(db)

    route(db)

    assert (reactions(db), queued(db)) == ([("daily", "mon", "paused")], [])


def test_a_change_of_a_dag_waits_for_events_that_are_being_routed_to_it(db: Db, database: str):
    """Otherwise a paused reaction that commits after the resume was routed would wait without end."""
    deployed(db, readers(a_reader()))
    deploy(db, readers(a_reader(description="every day")))
    commit(a_worker(db), "mon")
    ids = take(db, kinds=("route_event",))
    db.execute("set lock_timeout = '50ms'")
    with psycopg.connect(database) as routing:
        call(routing, "route_events", owner="one", ids=ids)
        changes = [lambda: pause(db), lambda: pause(db, "resume"), lambda: cutover(db, 1, 2, name="sales")]
        for change in changes:
            with pytest.raises(psycopg.errors.LockNotAvailable):
                change()

    pause(db)


def test_many_waiting_events_are_routed_in_pieces(db: Db):
    deployed(db, readers(a_reader(), a_reader("report")))
    worker = a_worker(db)
    for job in ("daily", "report"):
        pause(db, job=job)
    commit(worker, *(f"day-{no}" for no in range(7)))
    route(db)
    pause(db, "resume")

    assert route(db, limit=3) == 3

    assert len(queued(db)) == 7
    assert [row for row in reactions(db) if row[2] == "paused"] == [
        ("report", f"day-{no}", "paused") for no in range(7)
    ]


def test_an_event_of_an_old_version_is_stale(db: Db):
    deployed(db, CHAIN)
    worker = a_worker(db)
    trigger(db)
    late = worker.claim_one()
    deployed(db, edited(CHAIN, "extract", config={"task": "shop.other"}), expected=1)

    assert publish(worker, late, "mon") == "accepted"
    route(db)

    assert (reactions(db), versions(db), queued(db)) == ([("daily", "mon", "stale")], [(2, "stale")], [])


def test_a_version_that_is_built_waits_for_events_of_what_it_shares_with_the_current_one(db: Db):
    deployed(db, CHAIN)
    worker = a_worker(db)
    deploy(db, NEXT)
    set_status(db, 2, "building")
    commit(worker, "mon")
    route(db)
    # The changed job of version 2 waits; the job below it will get the events of the rebuilt dataset.
    assert versions(db) == [(1, "triggered"), (2, "paused")]
    assert "version 2 of the DAG is not current" in str(reasons(db)[1])
    route_version(db, 2)
    assert versions(db) == [(1, "triggered"), (2, "paused")]  # still not current

    set_status(db, 2, "ready")
    cutover(db, 1, 2, name="sales")
    route_version(db, 2)

    assert versions(db) == [(1, "triggered"), (2, "triggered")]
    assert [task[0] for task in queued(db)] == ["daily", "daily"]


def test_a_rebuild_runs_down_the_changed_jobs_and_nowhere_else(db: Db):
    deployed(db, CHAIN)
    worker = a_worker(db)
    deploy(db, NEXT)
    set_status(db, 2, "building")
    published(db, worker, "daily", "mon")

    route(db)

    assert (reactions(db), versions(db)) == ([("report", "mon", "triggered")], [(2, "triggered")])
    assert queued(db) == [("report", "mon", True)]


def published(db: Db, worker: Any, job: str, partition: str) -> None:
    """A task of a job in the newest version publishes, as one of a rebuild does."""
    (task,) = db.execute(
        """select tenuto._uuid7() as id, j::tenuto.jobs, v.version
           from tenuto.jobs j join tenuto.dag_versions v on v.id = j.dag_version_id
           where j.name = %s order by v.version desc limit 1""",
        [job],
    ).fetchall()
    db.execute(
        """select tenuto._start_job_tasks(%s, 'sales', %s, j, array[%s], array[%s], true)
           from tenuto.jobs j join tenuto.dag_versions v on v.id = j.dag_version_id and v.version = %s
           where j.name = %s""",
        [DEFAULT_ORG, task[2], task[0], partition, task[2], job],
    )
    assert publish(worker, claim_like(worker, task[0]), partition) == "accepted"


def test_events_of_a_failed_rebuild_wait_until_it_continues(db: Db):
    deployed(db, CHAIN)
    worker = a_worker(db)
    deploy(db, NEXT)
    set_status(db, 2, "failed")
    published(db, worker, "daily", "mon")
    route(db)
    assert (versions(db), queued(db)) == ([(2, "paused")], [])

    set_status(db, 2, "building")
    route_version(db, 2)

    assert (versions(db), queued(db)) == ([(2, "triggered")], [("report", "mon", True)])


def test_events_of_a_version_that_was_rolled_back_are_stale(db: Db):
    deployed(db, CHAIN)
    worker = a_worker(db)
    deployed(db, NEXT, expected=1)
    trigger(db, "daily", "mon")
    late = worker.claim_one()
    rollback(db, 2, name="sales")

    assert publish(worker, late, "mon") == "accepted"
    route(db)

    assert (reactions(db), versions(db), queued(db)) == ([("report", "mon", "stale")], [(1, "stale")], [])


def test_jobs_of_other_dags_follow_the_current_version(db: Db):
    deployed(db, readers(a_reader()))
    deployed(db, {"name": "other", "jobs": [a_reader("theirs", inputs=[{"from": {"dataset": "out_daily"}}])]})
    worker = a_worker(db)
    deploy(db, readers(a_reader(config={"sql": "select 2"})))
    published(db, worker, "daily", "mon")  # of version 2, which is ready: nobody reads it yet
    route(db)
    assert (reactions(db), queued(db)) == ([], [])

    trigger(db, "daily", "mon")
    publish(worker, worker.claim_one(), "mon")
    route(db)

    assert reactions(db) == [("theirs", "mon", "triggered")]


def test_a_metadata_change_keeps_events_out_of_the_new_version(db: Db):
    deployed(db, readers(a_reader()))
    deploy(db, readers(a_reader(description="every day")))

    commit(a_worker(db), "mon")
    route(db)

    assert versions(db) == [(1, "triggered")]


def test_a_job_without_outputs_is_not_part_of_a_rebuild(db: Db):
    alert = a_reader("alert", inputs=[{"from": {"job": "daily"}}], **NO_OUTPUT)
    chain = readers(a_reader(), alert)
    deployed(db, chain)
    worker = a_worker(db)
    deploy(db, edited(chain, "daily", config={"sql": "select 2"}))
    set_status(db, 2, "building")
    published(db, worker, "daily", "mon")

    route(db)

    assert (reactions(db), queued(db)) == ([], [])


def test_a_resume_writes_one_effect_however_much_waits(db: Db):
    deployed(db, readers(a_reader(), source={**RAW, "max_attempts": 1}))
    pause(db, "resume")

    assert [payload.keys() for _, payload, _ in effects(db)] == [{"job"}]
