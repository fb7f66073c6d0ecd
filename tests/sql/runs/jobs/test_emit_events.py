"""OpenLineage events are queued in the transaction that changes the state, in order per run, for jobs only."""

from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tenuto.model.errors import InvalidInput
from tests.support.clock import Clock
from tests.support.database.jobs import deployed, publish, sales, trigger
from tests.support.database.loops import an_org
from tests.support.database.outbox import a_destination, finish
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, start_one, status

KINDS = ["emit_lineage"]


def a_receiver(db: Db, name: str = "marquez") -> None:
    call(db, "put_destination", org_id=DEFAULT_ORG, name=name, url=f"file:{name}", secret=b"x", openlineage=True)


def rows(db: Db, subject: str = "task_id") -> list[tuple[Any, ...]]:
    """(types of the events, status, attempt) of the rows about attempts, oldest first."""
    return db.execute(
        """select array(select e ->> 'type' from jsonb_array_elements(payload -> 'events') e), status,
                  (payload #>> '{subject,attempt}')::int
           from tenuto.outbox where kind = 'emit_lineage' and payload -> 'subject' ? %s order by id""",
        [subject],
    ).fetchall()


def take(db: Db) -> list[int]:
    taken = call(db, "take_effects", owner="one", kinds=KINDS, limit=100, lease="30 seconds")
    return [row["id"] for row in taken]


def deliver(db: Db) -> list[str]:
    """Deliver all events that are due, as a dispatcher does; returns their types."""
    delivered = []
    for row in call(db, "take_effects", owner="one", kinds=KINDS, limit=100, lease="30 seconds"):
        for event in row["payload"]["events"]:
            delivered.append(event["type"])
            assert call(db, "drop_event", owner="one", id=row["id"], type=event["type"])
        finish(db, row["id"])
    return delivered


@pytest.fixture
def sold(db: Db) -> None:
    """The DAG of sales, and a receiver of events from then on."""
    deployed(db)
    a_receiver(db)


def test_an_attempt_that_ends_at_once_has_its_start_with_the_time_of_its_claim(db: Db, clock: Clock, sold: None):
    worker = a_worker(db)
    trigger(db, "extract", "2026-01-01")
    claim = worker.claim_one()
    clock.advance(seconds=30)
    publish(worker, claim, "2026-01-01")

    assert rows(db) == [(["START", "COMPLETE"], "pending", 1)]
    (times,) = db.execute("select jsonb_path_query_array(payload, '$.events[*].at') from tenuto.outbox "
                          "where kind = 'emit_lineage'").fetchone() or ([],)  # fmt: skip
    assert times[0] < times[1]


def test_a_start_that_was_sent_before_is_not_sent_again(db: Db, clock: Clock, sold: None):
    worker = a_worker(db)
    trigger(db, "extract", "2026-01-01")
    claim = worker.claim_one()
    assert [call(db, "emit_running") for _ in range(2)] == [1, 0]
    assert rows(db) == [(["START"], "pending", 1)]
    assert deliver(db) == ["START"]

    publish(worker, claim, "2026-01-01")

    assert rows(db) == [(["COMPLETE"], "pending", 1)]
    assert deliver(db) == ["COMPLETE"]
    assert rows(db) == [([], "done", 1)]


def test_a_long_attempt_is_running_once_a_minute_after_a_delivery(db: Db, clock: Clock, sold: None):
    worker = a_worker(db)
    trigger(db, "extract", "2026-01-01")
    claim = worker.claim_one()
    call(db, "emit_running")
    clock.advance(minutes=5)
    assert call(db, "emit_running") == 0  # the receiver is away: what it has not received does not pile up
    assert deliver(db) == ["START"]
    clock.advance(seconds=61)
    assert [call(db, "emit_running") for _ in range(2)] == [1, 0]
    assert rows(db) == [(["RUNNING"], "pending", 1)]

    publish(worker, claim, "2026-01-01")  # what was running has ended: the news of the minute is old

    assert deliver(db) == ["COMPLETE"]


def test_events_that_come_while_a_row_is_delivered_are_delivered_next(db: Db, sold: None):
    worker = a_worker(db)
    trigger(db, "extract", "2026-01-01")
    claim = worker.claim_one()
    call(db, "emit_running")
    (row,) = take(db)
    publish(worker, claim, "2026-01-01")
    assert rows(db) == [(["START", "COMPLETE"], "processing", 1)]

    assert call(db, "drop_event", owner="one", id=row, type="START")
    finish(db, row)

    assert rows(db) == [(["COMPLETE"], "pending", 1)]
    assert deliver(db) == ["COMPLETE"]


def test_only_the_owner_drops_events(db: Db, sold: None):
    worker = a_worker(db)
    trigger(db, "extract", "2026-01-01")
    worker.claim_one()
    call(db, "emit_running")
    (row,) = take(db)

    assert not call(db, "drop_event", owner="another", id=row, type="START")
    assert call(db, "drop_event", owner="one", id=row, type="RUNNING")  # it was replaced meanwhile
    assert rows(db) == [(["START"], "processing", 1)]


def test_a_start_that_is_dead_is_delivered_before_the_end(db: Db, sold: None):
    worker = a_worker(db)
    trigger(db, "extract", "2026-01-01")
    claim = worker.claim_one()
    call(db, "emit_running")
    db.execute("update tenuto.outbox set status = 'dead', attempts = 20 where kind = 'emit_lineage'")

    publish(worker, claim, "2026-01-01")

    assert deliver(db) == ["START", "COMPLETE"]


def test_every_attempt_is_a_run(db: Db, clock: Clock, sold: None):
    worker = a_worker(db)
    trigger(db, "extract", "2026-01-01")
    worker.fail(worker.claim_one())
    clock.advance(minutes=10)
    call(db, "promote_due")
    worker.fail(worker.claim_one())

    assert rows(db) == [(["START", "FAIL"], "pending", 1), (["START", "FAIL"], "pending", 2)]


def test_a_cancelled_attempt_is_aborted_and_a_queued_task_was_no_run(db: Db, sold: None):
    worker = a_worker(db)
    (running,) = trigger(db, "extract", "2026-01-01")
    claim = worker.claim_one()
    (queued,) = trigger(db, "extract", "2026-01-02")
    for task in (running, queued):
        call(db, "cancel_run", org_id=DEFAULT_ORG, run_id=task["task_id"])
    worker.fail(claim)

    assert rows(db) == [(["START", "ABORT"], "pending", 1)]


def test_an_attempt_that_is_handed_back_is_aborted(db: Db, sold: None):
    worker = a_worker(db)
    trigger(db, "extract", "2026-01-01")
    worker.interrupt(worker.claim_one())

    assert rows(db) == [(["START", "ABORT"], "pending", 1)]


def test_an_event_that_cannot_be_stored_fails_the_completion(db: Db, sold: None):
    """The end and its event are one commit: neither exists without the other."""
    worker = a_worker(db)
    trigger(db, "extract", "2026-01-01")
    claim = worker.claim_one()
    db.execute("alter table tenuto.outbox add constraint no_events check (kind <> 'emit_lineage') not valid")

    with pytest.raises(InvalidInput, match="no_events"):
        publish(worker, claim, "2026-01-01")

    assert status(db, claim.task_id) == "running"


def test_a_completion_that_is_rolled_back_queues_nothing(db: Db, database: str, sold: None):
    worker = a_worker(db)
    trigger(db, "extract", "2026-01-01")
    claim = worker.claim_one()
    with psycopg.connect(database) as other:
        worker.db = other
        publish(worker, claim, "2026-01-01")
        other.rollback()

    assert rows(db) == []


def test_plain_tasks_and_orgs_without_a_receiver_emit_nothing(db: Db):
    deployed(db)
    a_destination(db)  # receives effects, not events
    worker = a_worker(db)
    start_one(db)
    trigger(db, "extract", "2026-01-01")
    for claim in worker.claim(2):
        worker.complete(claim)
    assert call(db, "emit_running") == 0
    a_receiver(db)
    start_one(db)
    worker.complete(worker.claim_one())

    assert rows(db) == []


def test_every_receiver_has_its_own_row(db: Db, sold: None):
    a_receiver(db, "lake")
    worker = a_worker(db)
    trigger(db, "extract", "2026-01-01")
    publish(worker, worker.claim_one(), "2026-01-01")

    assert db.execute("select destination from tenuto.outbox where kind = 'emit_lineage' order by 1").fetchall() == [
        ("lake",),
        ("marquez",),
    ]


def test_a_deploy_describes_its_jobs_and_a_cutover_its_datasets(db: Db):
    a_receiver(db)
    deployed(db)
    deployed(db, sales("select 2"), expected=1)

    assert rows(db, "job_id") == [(["JOB"], "pending", None)] * 4
    changes = db.execute(
        """select e ->> 'name', e ->> 'type' from tenuto.outbox o, jsonb_array_elements(payload -> 'events') e
           where payload -> 'subject' ? 'dataset_id' order by o.id, e ->> 'at'"""
    ).fetchall()
    assert sorted(changes) == [("per_day", "CREATE"), ("per_day", "OVERWRITE"), ("raw", "CREATE")]


def test_the_facts_about_a_run_are_those_of_its_org(db: Db, sold: None):
    worker = a_worker(db)
    trigger(db, "extract", "2026-01-01")
    claim = worker.claim_one()
    publish(worker, claim, "2026-01-01")
    subject = Jsonb({"task_id": str(claim.task_id), "attempt": 1, "dag": "sales", "job": "extract"})

    (found,) = call(db, "get_lineage_facts", org_id=DEFAULT_ORG, subject=subject, event=Jsonb({"type": "COMPLETE"}))

    assert found["namespace"] == "tenuto://default"
    (output,) = found["facts"]["outputs"]
    assert (found["facts"]["outcome"], output["rows"], output["partitions"]) == ("completed", 3, ["2026-01-01"])
    other = an_org(db, "other")
    (foreign,) = call(db, "get_lineage_facts", org_id=other, subject=subject, event=Jsonb({"type": "COMPLETE"}))
    assert foreign["facts"] is None
