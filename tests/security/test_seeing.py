"""What can be seen is one's own, whoever looks."""

from datetime import UTC, datetime
from uuid import UUID

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tenuto.model.errors import NotFound
from tests.support.database.orgs import a_busy_org, acting_for
from tests.support.database.schedules import CRON
from tests.support.database.tasks import DEFAULT_ORG, call, start_one
from tests.support.postgres.server import connect_as

LISTS = ("list_runs", "list_tasks", "list_workers", "list_queues", "list_schedules")


@pytest.fixture
def mine(db: psycopg.Connection) -> UUID:
    a_busy_org(db, "theirs")
    return a_busy_org(db, "mine")


@pytest.mark.parametrize("role", ["tenuto_api", "tenuto_readonly"])
def test_an_org_sees_what_it_has_and_nothing_of_others(
    db: psycopg.Connection, database: str, mine: UUID, role: str
) -> None:
    with connect_as(database, role) as conn, acting_for(conn, mine):
        seen = {name: len(call(conn, name, org_id=mine)) for name in LISTS}
        foreign = {name: call(conn, name, org_id=DEFAULT_ORG) for name in LISTS}
        (numbers,) = call(conn, "get_overview", org_id=mine)
        reasons = conn.execute("select distinct org_id from tenuto.why_not_running").fetchall()

    assert [name for name, rows in seen.items() if not rows] == []
    assert [name for name, rows in foreign.items() if rows] == []
    assert numbers["ready"] > 0
    assert reasons == [(mine,)]


def test_the_api_waits_explains_and_schedules_for_its_own_org(
    db: psycopg.Connection, database: str, mine: UUID
) -> None:
    theirs = start_one(db)
    with connect_as(database, "tenuto_api") as conn:
        with acting_for(conn, mine):
            run_id = start_one(conn, org_id=mine)
            assert call(conn, "get_run", org_id=mine, run_id=run_id)[0]["status"] == "pending"
            assert call(conn, "poll_runs", org_id=mine, run_ids=[run_id, theirs]) == []
            assert call(conn, "list_attempts", org_id=mine, task_id=run_id) == []
            assert "is queued" in call(conn, "explain_task", org_id=mine, task_id=run_id)
            kind = Jsonb({"type": "app.work"})
            named = {"org_id": mine, "name": "daily"}
            call(conn, "put_schedule", **named, kind=kind, cron=CRON, next_at=datetime.now(UTC))
            call(conn, "pause_schedule", **named)
            call(conn, "resume_schedule", **named, next_at=datetime.now(UTC), cron=CRON, timezone="UTC")
            call(conn, "delete_schedule", **named)
        with pytest.raises(NotFound), acting_for(conn, mine):
            call(conn, "get_task", org_id=DEFAULT_ORG, task_id=theirs)
