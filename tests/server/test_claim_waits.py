"""POST /internal/claim with `wait`: a long poll that is woken, asks nothing meanwhile, and notices who left."""

import http.client
import json
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import psycopg
import pytest

from tenuto.server.settings import ServerSettings
from tests.support.database.loops import an_org
from tests.support.database.tasks import DEFAULT_ORG, call, start, start_one, status
from tests.support.http.app_server import serving
from tests.support.http.worker_requests import worker_headers
from tests.support.waiting import wait_until

# One that says something to itself listens already.
LISTENERS = """
select count(*) from pg_stat_activity
where application_name = 'tenuto listener' and datname = current_database() and query like 'notify%'
"""
LOOKS = """
select max(query_start) from pg_stat_activity
where datname = current_database() and state = 'idle' and query like '%exchange_tasks%' and pid <> pg_backend_pid()
"""


class Far:
    """A worker with a connection of its own."""

    def __init__(self, url: str, headers: dict[str, str], name: str = "far", **body: Any) -> None:
        self.line = http.client.HTTPConnection(urlsplit(url).netloc, timeout=30)
        self.headers = {**headers, "Content-Type": "application/json"}
        opened = self.ask("/internal/sessions", name=name, **body)
        self.session = {"session_id": opened["session_id"], "token": opened["token"]}
        self.claim_no = 0

    def send(self, path: str, **body: Any) -> None:
        self.line.request("POST", path, json.dumps(body), self.headers)

    def ask(self, path: str, **body: Any) -> dict[str, Any]:
        self.send(path, **body)
        return json.loads(self.line.getresponse().read())

    def claim(self, **body: Any) -> dict[str, Any]:
        self.claim_no += 1
        return self.ask("/internal/claim", **self.session, claim_no=self.claim_no, limit=1, **body)


MakeFar = Callable[..., Far]


@pytest.fixture
def far(settings: ServerSettings) -> Iterator[MakeFar]:
    """`far(headers, name)`: a worker of a server that is started for it."""
    with serving(settings) as url, ExitStack() as lines:

        def make(headers: dict[str, str], name: str = "far") -> Far:
            made = Far(url, headers, name)
            lines.callback(made.line.close)
            return made

        yield make


def waiting(worker: Far, db: psycopg.Connection, **body: Any) -> "Future[dict[str, Any]]":
    """A claim that has found nothing and waits."""
    before = last_look(db)
    with_it = ThreadPoolExecutor(1)
    found = with_it.submit(worker.claim, wait=20, **body)
    with_it.shutdown(wait=False)
    wait_until(lambda: last_look(db) > before)
    wait_until(lambda: db.execute(LISTENERS).fetchone() == (1,))
    return found


def last_look(db: psycopg.Connection) -> datetime:
    """When the server last looked for tasks and was answered."""
    row = db.execute(LOOKS).fetchone()
    return row[0] if row and row[0] else datetime.min.replace(tzinfo=UTC)


def test_a_waiting_claim_is_answered_when_a_task_comes(far: MakeFar, db: psycopg.Connection) -> None:
    found = waiting(far(worker_headers(db)), db)

    task_id = start_one(db)

    assert [one["task_id"] for one in found.result(20)["tasks"]] == [str(task_id)]


def test_reports_are_judged_before_the_wait_and_told_after_it(far: MakeFar, db: psycopg.Connection) -> None:
    worker = far(worker_headers(db))
    first = start_one(db)
    worker.claim()
    stale = {"task_id": str(first), "attempt": 7}
    found = waiting(worker, db, reports=[{"task_id": str(first), "attempt": 1}, stale])

    wait_until(lambda: status(db, first) == "completed")
    start_one(db)

    assert found.result(20)["rejected_reports"] == [{**stale, "result": "stale_lease"}]


def test_a_cancel_somewhere_lets_a_waiting_worker_beat(far: MakeFar, db: psycopg.Connection) -> None:
    worker = far(worker_headers(db))
    task_id = start_one(db)
    worker.claim()
    found = waiting(worker, db)

    call(db, "cancel_task", org_id=DEFAULT_ORG, task_id=task_id)

    answer = found.result(20)
    assert (answer["heartbeat_now"], answer["tasks"]) == (True, [])


def test_many_who_wait_share_one_listener(far: MakeFar, db: psycopg.Connection) -> None:
    headers = worker_headers(db)
    waiters = [waiting(far(headers, f"far{no}"), db) for no in range(5)]
    assert db.execute(LISTENERS).fetchone() == (1,)

    start(db, *range(5))

    assert len({one["task_id"] for found in waiters for one in found.result(20)["tasks"]}) == 5


def test_a_claim_whose_worker_left_takes_nothing(far: MakeFar, db: psycopg.Connection) -> None:
    headers = worker_headers(db)
    gone, there = far(headers, "gone"), far(headers, "there")
    before = last_look(db)
    gone.send("/internal/claim", **gone.session, claim_no=1, limit=1, wait=20)
    wait_until(lambda: last_look(db) > before)
    gone.line.close()
    found = waiting(there, db)

    start(db, 1, 2)

    assert len(found.result(20)["tasks"]) == 1
    held = db.execute("select session_id from tenuto.running_tasks").fetchall()
    assert held == [(there.session["session_id"],)]


def test_a_key_that_is_revoked_while_it_waits_gets_nothing(far: MakeFar, db: psycopg.Connection) -> None:
    worker = far(worker_headers(db))
    found = waiting(worker, db)
    (key,) = call(db, "list_worker_keys", org_id=DEFAULT_ORG)
    call(db, "revoke_worker_key", org_id=DEFAULT_ORG, id=key["id"])

    task_id: UUID = start_one(db)

    assert (found.result(20)["code"], status(db, task_id)) == ("unauthorized", "queued")


class TestFewSeats:
    @pytest.fixture
    def settings(self, settings: ServerSettings) -> ServerSettings:
        return replace(settings, worker_waits=1)

    def test_an_org_whose_workers_wait_a_lot_leaves_room_for_others(self, far: MakeFar, db: psycopg.Connection) -> None:
        headers = worker_headers(db)
        first, second = far(headers), far(headers, "second")
        other = far(worker_headers(db, org_id=an_org(db, "other")), "other")
        found = waiting(first, db)

        refused = [second.claim(wait=5), second.ask("/internal/wait", wait=5)]

        assert [(one["code"], one["status"]) for one in refused] == [("rate_limited", 429)] * 2
        assert second.claim()["tasks"] == []
        assert other.ask("/internal/wait", wait=5)["work_available"]
        task_id = start_one(db)
        assert [one["task_id"] for one in found.result(20)["tasks"]] == [str(task_id)]
        assert second.ask("/internal/wait", wait=5)["work_available"]
