"""The floors of due work: dispatchers do not read dead rows at every tick, and find rows that commit late."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.support.clock import Clock
from tests.support.database.loops import count, value
from tests.support.database.tasks import DEFAULT_ORG, Db, a_worker, call, start_one, status

DEAD = 500
ENTRIES_READ = "select coalesce(sum(pg_stat_get_xact_tuples_returned(i::regclass)), 0) from unnest(%s::text[]) i"

# Rows of each table that are due now, and the loop that processes them.
INSERTS = {
    "promote_due": """
insert into tenuto.delayed_tasks
  (available_at, id, org_id, run_id, route_id, group_no, priority, attempt, flags, reason)
select tenuto.now(), gen_random_uuid(), %(org)s, gen_random_uuid(), 1, 1, 0, 0, 0, 'delay'
from generate_series(1, %(count)s)""",
    "wake_waiting": """
insert into tenuto.waiting_tasks
  (waiting_at, wake_at, id, org_id, run_id, route_id, group_no, priority, attempt, flags, waits_for)
select tenuto.now(), tenuto.now(), gen_random_uuid(), %(org)s, gen_random_uuid(), 1, 1, 0, 0, 0, 'time'
from generate_series(1, %(count)s)""",
    "expire_deadlines": """
insert into tenuto.running_tasks (queued_at, started_at, deadline_at, silent_at, session_id, id, org_id, run_id,
  claim_no, route_id, group_no, priority, attempt, flags)
select tenuto.now(), tenuto.now(), tenuto.now(), tenuto.now(), 1, gen_random_uuid(), %(org)s, gen_random_uuid(),
  1, 1, 1, 0, 1, 0
from generate_series(1, %(count)s)""",
    "fold_runs": """
insert into tenuto.run_counts (run_id, org_id, completed)
select gen_random_uuid(), %(org)s, 1 from generate_series(1, %(count)s)""",
}
TABLES = {
    "promote_due": "delayed_tasks",
    "wake_waiting": "waiting_tasks",
    "expire_deadlines": "running_tasks",
    "fold_runs": "run_counts",
}
INDEXES = [
    f"tenuto.{name}"
    for name in (
        "delayed_tasks_due_idx",
        "waiting_tasks_wake_idx",
        "running_tasks_deadline_idx",
        "running_tasks_silent_idx",
        "run_counts_pkey",
    )
]


@pytest.fixture
def snapshot(database: str) -> Iterator[psycopg.Connection]:
    """A transaction that keeps dead rows from being removed, as pg_dump does."""
    with psycopg.connect(database) as conn:
        conn.execute("set transaction isolation level repeatable read")
        conn.execute("select from tenuto.orgs")
        yield conn


def entries_read(db: Db, loop: str) -> int:
    """How many index entries a tick and a turn of the loop read, dead ones included."""
    with db.transaction():
        before = value(db, ENTRIES_READ, INDEXES)
        call(db, "list_due_maintenance")
        call(db, loop)
        return value(db, ENTRIES_READ, INDEXES) - before


def due(db: Db) -> dict[str, Any]:
    return {row["what"]: row["due_in_seconds"] for row in call(db, "list_due_maintenance")}


def raise_floors(db: Db, clock: Clock) -> None:
    clock.advance(seconds=60)
    db.execute("select setval('tenuto.run_counts_id_seq', nextval('tenuto.run_counts_id_seq') + 30000)")
    call(db, "move_floors", from_bottom=True)


@pytest.mark.parametrize("loop", INSERTS)
def test_a_tick_does_not_read_the_rows_that_are_dead(
    db: Db, clock: Clock, snapshot: psycopg.Connection, loop: str
) -> None:
    db.execute("set session_replication_role = replica")  # without the checks of test databases
    db.execute(INSERTS[loop].encode(), {"org": DEFAULT_ORG, "count": DEAD})
    db.execute(f"delete from tenuto.{TABLES[loop]}".encode())
    assert entries_read(db, loop) >= DEAD

    raise_floors(db, clock)

    assert entries_read(db, loop) < 10


@pytest.mark.parametrize("loop", INSERTS)
def test_a_row_that_commits_late_is_due_after_a_search_from_the_bottom(
    db: Db, clock: Clock, database: str, loop: str
) -> None:
    with psycopg.connect(database, options="-c session_replication_role=replica") as late:
        late.execute(INSERTS[loop].encode(), {"org": DEFAULT_ORG, "count": 1})
        raise_floors(db, clock)
    assert count(db, TABLES[loop]) == 1
    assert due(db)[loop] is None

    call(db, "move_floors", from_bottom=True)

    assert due(db)[loop] == 0


def test_a_delayed_start_that_commits_after_its_time_runs(db: Db, clock: Clock, database: str) -> None:
    with psycopg.connect(database) as client:
        task = start_one(client, details=Jsonb([{"task": 0, "delay_seconds": 5}]))
        raise_floors(db, clock)
    call(db, "promote_due")
    assert status(db, task) == "queued"
    assert a_worker(db).claim(1) == []

    call(db, "move_floors", from_bottom=True)

    assert call(db, "promote_due") == 1
    assert [claim.task_id for claim in a_worker(db, "v").claim(1)] == [task]


def test_work_stays_due_while_the_floors_follow_it(db: Db, clock: Clock) -> None:
    task = start_one(db)
    worker = a_worker(db)
    for seconds in (30, 5, 0):
        worker.snooze(worker.claim_one(), seconds=seconds)
        raise_floors(db, clock)
        assert due(db)["promote_due"] == 0
        assert call(db, "promote_due") == 1

    assert status(db, task) == "queued"


def test_the_floors_go_back_with_the_clock(db: Db, clock: Clock) -> None:
    clock.advance(hours=2)
    raise_floors(db, clock)
    clock.advance(hours=-2)
    task = start_one(db)
    worker = a_worker(db)
    worker.snooze(worker.claim_one(), seconds=1)

    call(db, "move_floors", from_bottom=True)
    clock.advance(seconds=2)

    assert due(db)["promote_due"] == 0
    assert call(db, "promote_due") == 1
    assert status(db, task) == "queued"


def test_a_parked_row_before_the_floor_can_be_retried(db: Db, clock: Clock, database: str) -> None:
    with psycopg.connect(database) as client:
        task = start_one(client, details=Jsonb([{"task": 0, "delay_seconds": 5}]))
        raise_floors(db, clock)

    assert call(db, "promote_due", limit=1, keys=[str(task)]) == 1
