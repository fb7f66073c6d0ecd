"""Who is refused can be found in the server's log, by the request's id; nobody can fill it."""

import asyncio
import logging
from dataclasses import replace

import httpx2
import psycopg
import pytest
from starlette.testclient import TestClient

from tenuto.server.app import create_app
from tenuto.server.http.request_log import MAX_LINES_PER_SECOND, RequestLog
from tenuto.server.settings import ServerSettings
from tests.server.conftest import MakeKey
from tests.support.http.worker_requests import worker_headers
from tests.support.waiting import wait_until

STILL_WAITING = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"


@pytest.fixture
def written(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.INFO, "tenuto.server")
    return caplog


def lines(written: pytest.LogCaptureFixture) -> list[tuple[str, str]]:
    return [(one.levelname, one.getMessage()) for one in written.records if one.name == "tenuto.server"]


def test_a_refusal_is_a_line_with_its_request_and_who_asked(
    api: TestClient, db: psycopg.Connection, make_headers: MakeKey, written: pytest.LogCaptureFixture
) -> None:
    headers = make_headers("tasks:read")
    fleet = worker_headers(db)
    ((key, worker_key),) = db.execute("select a.id, w.id from tenuto.api_keys a, tenuto.worker_keys w").fetchall()

    api.get("/v1/runs?limit=3", headers={**headers, "X-Request-Id": "mine"})
    api.post("/internal/claim", json={}, headers={**fleet, "X-Request-Id": "its"})
    api.get("/v1/runs", headers={"X-Request-Id": "whose"})

    assert lines(written) == [
        ("INFO", f"GET /v1/runs 403 forbidden by api_key {key}, request mine"),
        ("INFO", f"POST /internal/claim 422 invalid_input by worker_key {worker_key}, request its"),
        ("INFO", "GET /v1/runs 401 unauthorized by an unauthenticated client, request whose"),
    ]


def test_what_is_answered_is_no_line(admin: TestClient, written: pytest.LogCaptureFixture) -> None:
    assert admin.get("/v1/runs").status_code == 200

    assert lines(written) == []


def test_a_path_cannot_make_a_second_line_or_show_a_key(api: TestClient, written: pytest.LogCaptureFixture) -> None:
    api.get("/v1/x%0Ay z/tn_live_abcdefghijkl_0123456789/" + "w" * 1000, headers={"X-Request-Id": "mine"})

    assert lines(written) == [("INFO", "GET /v1/…/…/… 404 not_found by an unauthenticated client, request mine")]


def test_a_path_shows_words_and_ids_and_is_cut_where_it_is_long(
    admin: TestClient, written: pytest.LogCaptureFixture
) -> None:
    id = "0190a0b0-0000-7000-8000-000000000001"
    admin.get(f"/v1/tasks/{id}")
    admin.get("/v1/runz/" + "a/" * 1000)

    (task, long) = (line for _, line in lines(written))
    assert task.startswith(f"GET /v1/tasks/{id} 404 ")
    assert long.startswith("GET /v1/runz/a/a/a/")
    assert len(long) < 350


def test_what_the_database_cannot_do_in_time_is_a_warning_with_its_reason(
    settings: ServerSettings, make_headers: MakeKey, database: str, written: pytest.LogCaptureFixture
) -> None:
    app = create_app(replace(settings, statement_seconds=0.2))
    with psycopg.connect(database) as other, TestClient(app, headers=make_headers("*")) as hurried:
        other.execute("lock table tenuto.runs in access exclusive mode")
        assert hurried.get("/v1/runs").status_code == 503

    ((level, line),) = lines(written)
    assert (level, line[:24]) == ("WARNING", "GET /v1/runs 503 timeout")
    assert line.endswith(": the database did not respond within 0.2 s")


def test_a_mistake_of_ours_is_an_error_with_where_it_was_made(
    admin: TestClient, db: psycopg.Connection, written: pytest.LogCaptureFixture
) -> None:
    db.execute("alter function tenuto.list_roles rename to hidden")

    admin.get("/v1/roles", headers={"X-Request-Id": "mine"})

    ((level, line),) = lines(written)
    assert (level, line[:27], line[-12:]) == ("ERROR", "GET /v1/roles 500 internal ", "request mine")
    assert "Traceback" in written.text


def test_a_request_that_is_cut_off_before_its_answer_says_so(
    settings: ServerSettings,
    make_headers: MakeKey,
    db: psycopg.Connection,
    database: str,
    written: pytest.LogCaptureFixture,
) -> None:
    app = create_app(settings)

    async def story() -> None:
        async with app.lifespan():
            sent = httpx2.ASGITransport(app)
            async with httpx2.AsyncClient(transport=sent, base_url="http://here", headers=make_headers("*")) as client:
                asking = asyncio.create_task(client.get("/v1/runs", headers={"X-Request-Id": "mine"}))
                await asyncio.to_thread(wait_until, lambda: db.execute(STILL_WAITING).fetchall())
                asking.cancel()
                await asyncio.wait([asking])

    with psycopg.connect(database) as other:
        other.execute("lock table tenuto.runs in access exclusive mode")
        asyncio.run(story())

    ((level, line),) = lines(written)
    assert (level, line[:23], line[-12:]) == ("WARNING", "GET /v1/runs 500 cut_of", "request mine")


def test_strangers_fill_no_log_and_push_out_nobody(
    settings: ServerSettings, make_headers: MakeKey, written: pytest.LogCaptureFixture
) -> None:
    app = create_app(settings)
    with TestClient(app) as api:
        app.state = replace(app.state, request_log=RequestLog(clock=lambda: 0.0))  # all of it happens in one second
        for _ in range(MAX_LINES_PER_SECOND + 7):
            assert api.get("/v1/runs").status_code == 401
        assert api.get("/v1/runs", headers={**make_headers("tasks:read"), "X-Request-Id": "mine"}).status_code == 403

        said = "7 more requests of unauthenticated clients failed within one second"
        wait_until(lambda: ("WARNING", said) in lines(written))

    assert sum("by an unauthenticated client" in line for _, line in lines(written)) == MAX_LINES_PER_SECOND
    assert sum(line.endswith("request mine") for _, line in lines(written)) == 1
