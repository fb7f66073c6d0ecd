"""Requests that the database cannot do in time: a lock that somebody else holds, for real."""

from collections.abc import Iterator
from dataclasses import replace

import psycopg
import pytest
from starlette.testclient import TestClient

from tenuto.server.app import create_app
from tenuto.server.settings import ServerSettings
from tests.server.conftest import MakeKey
from tests.support.waiting import wait_until

STILL_WAITING = "select query from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"


@pytest.fixture
def hurried(settings: ServerSettings, make_headers: MakeKey) -> Iterator[TestClient]:
    """A client of a server whose statements have 0.2 s, with one connection."""
    app = create_app(replace(settings, statement_seconds=0.2, connections=1))
    with TestClient(app, raise_server_exceptions=False, headers=make_headers("*")) as client:
        yield client


def test_a_statement_that_takes_too_long_is_a_timeout_that_may_be_tried_again(
    hurried: TestClient, db: psycopg.Connection, database: str
) -> None:
    with psycopg.connect(database) as other:
        other.execute("lock table tenuto.runs in access exclusive mode")
        refused = [hurried.get("/v1/runs"), hurried.post("/v1/runs", json={"type": "a.b"})]
        assert db.execute(STILL_WAITING).fetchall() == []
        other.rollback()

    for one in refused:
        assert (one.status_code, one.json()["code"]) == (503, "timeout"), one.text
        assert int(one.headers["retry-after"]) >= 1
        assert "tenuto.runs" not in one.text
    assert db.execute("select count(*) from tenuto.runs").fetchone() == (0,)
    assert db.execute("select count(*) from tenuto.audit_log").fetchone() == (0,)
    wait_until(lambda: hurried.get("/v1/runs").json().get("items") == [])  # 0.2 s is little on a busy machine


def test_a_repeated_start_that_timed_out_is_done_then(
    hurried: TestClient, db: psycopg.Connection, database: str
) -> None:
    again = {"Idempotency-Key": "once"}
    with psycopg.connect(database) as other:
        other.execute("lock table tenuto.runs in access exclusive mode")
        assert hurried.post("/v1/runs", json={"type": "a.b"}, headers=again).json()["code"] == "timeout"

    for _ in range(2):
        wait_until(lambda: hurried.post("/v1/runs", json={"type": "a.b"}, headers=again).status_code == 201)

    assert db.execute("select count(*) from tenuto.runs").fetchone() == (1,)
