"""delayed | retrying -> queued, when their time has come."""

from datetime import timedelta

import psycopg
from psycopg.types.json import Jsonb

from tests.support.clock import Clock
from tests.support.database.loops import promote
from tests.support.database.tasks import a_worker, call, start, start_graph, start_one, status, statuses


def test_a_delayed_task_is_ready_when_its_time_has_come_and_not_before(db: psycopg.Connection, clock: Clock) -> None:
    task_id = start_one(db, details=Jsonb([{"task": 0, "delay_seconds": 60}]))
    worker = a_worker(db)

    assert promote(db, clock, seconds=59) == 0
    assert worker.claim() == []

    assert promote(db, clock, seconds=1) == 1
    assert worker.claim_one().task_id == task_id


def test_a_task_with_a_time_in_the_past_is_ready_at_once(db: psycopg.Connection, clock: Clock) -> None:
    past = (clock.now - timedelta(days=1)).isoformat()
    task_id = start_one(db, details=Jsonb([{"task": 0, "available_at": past}]))

    assert a_worker(db).claim_one().task_id == task_id


def test_a_retrying_task_is_queued_after_its_backoff(db: psycopg.Connection, clock: Clock) -> None:
    task_id = start_one(db, kind={"backoff_seconds": 100})
    worker = a_worker(db, lease="1 day")
    worker.fail(worker.claim_one())

    assert promote(db, clock, seconds=49) == 0
    assert status(db, task_id) == "retrying"
    assert promote(db, clock, seconds=102) == 1
    assert status(db, task_id) == "queued"


def test_a_snoozed_task_is_queued_while_it_waits_and_charged_nothing(db: psycopg.Connection, clock: Clock) -> None:
    task_id = start_one(db, kind={"max_attempts": 1})
    worker = a_worker(db, lease="1 day")
    worker.snooze(worker.claim_one(), seconds=10)

    assert status(db, task_id) == "queued"
    assert worker.claim() == []
    promote(db, clock, seconds=10)
    assert worker.claim_one().attempt == 2


def test_those_due_first_come_first_and_no_more_than_asked_for(db: psycopg.Connection, clock: Clock) -> None:
    details = [{"task": i, "delay_seconds": 30 - i} for i in range(3)]
    tasks = start(db, 0, 1, 2, details=Jsonb(details))
    clock.advance(minutes=1)

    assert call(db, "promote_due", limit=2) == 2

    worker = a_worker(db)
    assert [claim.task_id for claim in worker.claim(3)] == [tasks[2], tasks[1]]
    assert statuses(db, tasks) == ["queued", "running", "running"]


def test_a_dependent_with_a_delay_of_its_own_waits_for_both(db: psycopg.Connection, clock: Clock) -> None:
    _, (first, second) = start_graph(db, 2, [(0, 1)], details=[{"task": 1, "delay_seconds": 60}])
    worker = a_worker(db, lease="1 day")

    worker.complete(worker.claim_one())
    assert worker.claim() == []

    promote(db, clock, seconds=60)
    assert worker.claim_one().task_id == second
    assert status(db, first) == "completed"


def test_nothing_due_changes_nothing(db: psycopg.Connection) -> None:
    start_one(db)

    assert call(db, "promote_due") == 0
