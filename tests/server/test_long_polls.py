"""Requests that wait for the end of something: they go when their client goes, and when the server stops."""

import http.client
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import psycopg
import pytest

from tenuto.server.settings import ServerSettings
from tests.server.conftest import MakeKey
from tests.support.database.loops import an_org
from tests.support.database.tasks import start_one, task
from tests.support.http.app_server import serving
from tests.support.processes.remote_workers import a_remote_fleet
from tests.support.waiting import wait_until

STREAM = {"Accept": "text/event-stream"}
LOOKED = "select from pg_stat_activity where datname = current_database() and query like %s and pid <> pg_backend_pid()"


@pytest.fixture
def url(settings: ServerSettings) -> Iterator[str]:
    with serving(settings) as url:
        yield url


def test_who_left_is_not_looked_for_any_more(url: str, make_headers: MakeKey, db: psycopg.Connection) -> None:
    task_id, headers = start_one(db), make_headers("*")
    run_id = task(db, task_id)["run_id"]

    for path in (f"/v1/tasks/{task_id}", f"/v1/runs/{run_id}"):
        line = http.client.HTTPConnection(urlsplit(url).netloc, timeout=20)
        answered = counted(url, headers, path)
        line.request("GET", f"{path}?wait=60", headers=headers)
        wait_until(lambda: looking(db))
        line.close()

        wait_until(lambda path=path, answered=answered: counted(url, headers, path) == answered + 1)


def test_a_server_that_stops_answers_who_waits_at_once(
    database: str, make_headers: MakeKey, tmp_path: Path, db: psycopg.Connection
) -> None:
    task_id, headers = start_one(db), make_headers("*")
    run_id = str(task(db, task_id)["run_id"])
    with (
        a_remote_fleet(database, tmp_path, "") as fleet,
        httpx2.Client(base_url=fleet.url, headers=headers, timeout=20) as ask,
        ThreadPoolExecutor(2) as many,
    ):
        assert fleet.server is not None
        one = many.submit(ask.get, f"/v1/tasks/{task_id}?wait=60")
        two = many.submit(ask.post, "/v1/runs/wait", json={"run_ids": [run_id], "wait": 60})
        wait_until(lambda: looking(db, "%get_task%") and looking(db, "%poll_runs%"))
        fleet.server.send_signal(signal.SIGTERM)

        assert (one.result().status_code, two.result().json()) == (200, {"items": []})
        assert fleet.server.wait(60) == 0


def test_an_org_that_waits_a_lot_leaves_room_for_others(
    settings: ServerSettings, make_headers: MakeKey, db: psycopg.Connection
) -> None:
    task_id, mine, other = start_one(db), make_headers("*"), make_headers("*", org_id=an_org(db, "other"))
    with serving(replace(settings, org_waits=1)) as url, httpx2.Client(base_url=url, timeout=20) as ask:
        with ask.stream("GET", "/v1/changes", headers={**mine, **STREAM}) as first:
            lines = first.iter_lines()  # kept: without it the stream is closed
            assert next(lines)
            refused = ask.get("/v1/changes", headers={**mine, **STREAM})
            assert (refused.status_code, refused.headers["retry-after"]) == (429, "6")
            assert ask.get(f"/v1/tasks/{task_id}?wait=60", headers=mine).json()["status"] == "queued"
            with ask.stream("GET", "/v1/changes", headers={**other, **STREAM}) as heard:
                assert heard.status_code == 200

        def has_a_seat() -> bool:
            with ask.stream("GET", "/v1/changes", headers={**mine, **STREAM}) as heard:
                return heard.status_code == 200

        wait_until(has_a_seat)


def looking(db: psycopg.Connection, what: str = "%act_as_api_key%lateral%") -> bool:
    """Whether a look was asked of the database."""
    return db.execute(LOOKED, [what]).fetchone() is not None


def counted(url: str, headers: dict[str, str], path: str) -> float:
    """How many requests of this route were answered, or left."""
    route = path.rpartition("/")[0]
    lines = httpx2.get(f"{url}/metrics", headers=headers, timeout=30).text.splitlines()
    return sum(float(line.split()[-1]) for line in lines if "requests_total{" in line and f'route="{route}/{{' in line)
