"""Very many tasks that wait for other code."""

import psycopg
from psycopg.types.json import Jsonb

from tests.plans.crowd import COPY_ROWS
from tests.plans.plans import explained
from tests.support.database.tasks import DEFAULT_ORG, a_worker_with, call, start_one

MANY = 100_000
WAITING = {"waits_for": "code", "waiting_at": "2026-01-01", "seq": 1}


def fill(db: psycopg.Connection) -> None:
    """All on the route of one that was blocked. Without the triggers of test databases, which check every move."""
    db.execute("set session_replication_role = replica")
    start_one(db)
    new = a_worker_with(db, "new")
    new.block(new.claim_one())
    start_one(db)
    [(route,)] = db.execute("select route_id from tenuto.waiting_tasks").fetchall()
    more = Jsonb({**WAITING, "route_id": route})
    db.execute(COPY_ROWS.format(table="waiting_tasks").encode(), {"size": MANY, "more": more})
    db.execute("analyze tenuto.waiting_tasks")


def test_a_hundred_thousand_blocked_tasks_are_not_read_until_other_code_comes(db: psycopg.Connection) -> None:
    fill(db)

    with explained(db) as plans:
        call(db, "list_due_maintenance")
        assert call(db, "unblock_tasks") == 0
        assert call(db, "set_aside_tasks") == 0
        assert len(a_worker_with(db, "new", "again").claim(1)) == 1
    assert plans.read("waiting_tasks") < 100

    with explained(db) as plans:
        (blocked,) = call(db, "list_blocked", org_id=DEFAULT_ORG)
    assert (blocked["tasks"], plans.read("waiting_tasks") < 25_000) == (10_000, True)

    a_worker_with(db, "old")
    with explained(db) as plans:
        assert call(db, "unblock_tasks", limit=100) == 100
    assert plans.read("waiting_tasks") < 1000
