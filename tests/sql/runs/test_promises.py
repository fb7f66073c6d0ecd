"""The promises that a planted bug breaks without a race: see tests/planted."""

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.support.clock import Clock
from tests.support.database.limits import a_key, start_limited
from tests.support.database.tasks import DEFAULT_ORG, a_worker, call, history, start, start_one, status, statuses
from tests.support.postgres.server import connect_as


def test_a_claim_takes_no_more_than_its_limit_whatever_the_statistics_say(db: psycopg.Connection) -> None:
    worker = a_worker(db)
    start(db, *range(2000))
    worker.complete(*worker.claim(1999))
    db.execute("vacuum analyze tenuto.ready_tasks")  # from now on the planner believes in one row on many pages
    start(db, *range(500))

    assert [len(worker.claim(limit)) for limit in (1, 3, 10)] == [1, 3, 10]


def test_an_attempt_that_was_forgotten_and_claimed_again_is_fenced_by_its_number(db: psycopg.Connection) -> None:
    task_id = start_one(db)
    worker = a_worker(db)
    forgotten = worker.claim_one()
    worker.beat(settled=worker.claim_no)
    held = worker.claim_one()

    assert worker.complete(forgotten) == ["stale_lease"]
    assert status(db, task_id) == "running"
    assert worker.complete(held) == ["accepted"]


def test_a_task_that_always_kills_its_worker_ends(db: psycopg.Connection, clock: Clock) -> None:
    task_id = start_one(db, kind={"max_attempts": 3, "backoff_seconds": 0})

    for _ in range(3):
        worker = a_worker(db)
        worker.claim_one()
        call(db, "close_session", **worker.fence)
        call(db, "expire_attempts")
        clock.advance(seconds=1)
        call(db, "promote_due")

    assert status(db, task_id) == "failed"
    assert history(db, task_id) == [(1, "lost"), (2, "lost"), (3, "failed")]


def test_a_waiting_parent_gives_its_limit_slot_to_its_child(db: psycopg.Connection) -> None:
    (parent_id,) = start_limited(db, 1, a_key("gpu", 1))
    worker = a_worker(db)
    parent = worker.claim_one()
    limits = [{"task": 0, "limits": [a_key("gpu", 1)]}]
    (child_id,) = worker.start_children(parent, 1, details=Jsonb(limits))

    worker.wait(parent, **{"for": "children", "tasks": [str(child_id)]})

    child = worker.claim_one()
    assert child.task_id == child_id
    worker.complete(child)
    assert worker.claim_one().task_id == parent_id


def test_a_limited_task_that_is_lost_hands_its_slot_over_at_once(db: psycopg.Connection) -> None:
    _, second = start_limited(db, 2, a_key("gpu", 1), kind={"backoff_seconds": 60})
    lost = a_worker(db, "lost")
    lost.claim_one()
    call(db, "close_session", **lost.fence)

    call(db, "expire_attempts")

    assert a_worker(db).claim_one().task_id == second


@pytest.mark.parametrize("role", ["tenuto_api", "tenuto_readonly"])
def test_a_query_that_forgets_the_org_still_sees_only_its_own_rows(
    db: psycopg.Connection, database: str, role: str
) -> None:
    other = call(db, "create_org", slug="other", name="Other")
    ours, theirs = start_one(db), start_one(db, org_id=other)
    assert statuses(db, [ours, theirs]) == ["queued", "queued"]

    with connect_as(database, role) as conn:
        conn.execute("select set_config('tenuto.org_id', %s, false)", [str(DEFAULT_ORG)])
        for table in ("runs", "tasks", "ready_tasks", "task_status", "run_status"):
            assert conn.execute(f"select id from tenuto.{table}".encode()).fetchall() == [(ours,)]
