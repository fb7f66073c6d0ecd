"""Clients that send slowly: what they hold meanwhile, and what counts when they are done."""

import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import bcrypt
import httpx2
import psycopg
import pytest

from tenuto.model.keys import make_token, token_hash
from tenuto.server.auth.cookies import CSRF_HEADER, LOGIN, csrf_token
from tenuto.server.settings import ServerSettings
from tests.server.conftest import MakeKey
from tests.support.database.loops import an_org
from tests.support.database.tasks import DEFAULT_ORG, call
from tests.support.database.users import a_user
from tests.support.http.app_server import serving
from tests.support.http.worker_requests import worker_headers
from tests.support.waiting import wait_until

BLOCKED = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
TAKE = """
insert into tenuto.idempotency_keys (org_id, actor, key, request_hash, created_at)
select org_id, id::text, 'k', %s, now() from tenuto.api_keys
"""
BODY = b'{"type": "a.b"}'


@contextmanager
def half_sent(url: str, method: str, path: str, headers: dict[str, str], length: int = len(BODY)) -> Iterator[Any]:
    """A request of which the head was sent, and nothing of its body yet."""
    host, port = urlsplit(url).netloc.split(":")
    with socket.create_connection((host, int(port)), timeout=20) as line:
        said = {"Host": host, "Content-Type": "application/json", "Content-Length": str(length), **headers}
        head = "".join(f"{name}: {value}\r\n" for name, value in said.items())
        line.sendall(f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode())
        yield line


def answer_to(line: Any, body: bytes = BODY) -> int:
    """The status of the answer, once the body is sent."""
    line.sendall(body)
    return int(line.recv(65536).split()[1])


@pytest.fixture
def url(settings: ServerSettings) -> Iterator[str]:
    """Where a server with one connection answers."""
    with serving(replace(settings, connections=1)) as url:
        yield url


def test_who_sends_slowly_holds_no_connection_to_the_database(
    url: str, make_headers: MakeKey, db: psycopg.Connection
) -> None:
    headers = make_headers("runs:*")
    slow = {**headers, "Idempotency-Key": "once"}

    with half_sent(url, "DELETE", f"/v1/runs/{uuid4()}", slow) as line:
        for _ in range(20):
            assert httpx2.get(f"{url}/v1/runs", headers=headers, timeout=20).status_code == 200
        assert answer_to(line) == 404


def test_an_org_whose_requests_all_wait_for_the_database_leaves_a_connection_to_others(
    settings: ServerSettings, make_headers: MakeKey, db: psycopg.Connection, database: str
) -> None:
    mine, other = make_headers("*"), make_headers("*", org_id=an_org(db, "other"))
    patient = replace(settings, connections=2, statement_seconds=25)
    with serving(patient) as url, psycopg.connect(database) as holder, ThreadPoolExecutor(8) as many:
        holder.execute(TAKE, [bytes(32)])
        post = {"headers": {**mine, "Idempotency-Key": "k"}, "json": {"type": "a.b"}, "timeout": 30}
        waiting = [many.submit(httpx2.post, f"{url}/v1/runs", **post) for _ in range(8)]
        wait_until(lambda: db.execute(BLOCKED).fetchone() is not None)

        assert {httpx2.get(f"{url}/v1/runs", headers=other, timeout=20).status_code for _ in range(5)} == {200}
        holder.rollback()
        assert {one.result().status_code for one in waiting} == {201}


def test_a_person_who_is_disabled_while_they_send_does_nothing(
    url: str, settings: ServerSettings, db: psycopg.Connection
) -> None:
    ann = a_user(db, platform_role="admin")
    cookie = make_token()
    call(db, "open_login", org_id=DEFAULT_ORG, user_id=ann, hash=token_hash(cookie))
    headers = {"Cookie": f"{LOGIN}={cookie}", CSRF_HEADER: csrf_token(cookie)}
    body = b'{"name": "for later", "permissions": ["*"]}'

    with half_sent(url, "POST", "/v1/keys", headers, len(body)) as line:
        wait_until(lambda: bucket_of(db, f"user:{ann}"))
        call(db, "disable_user", org_id=DEFAULT_ORG, user_id=ann)
        assert answer_to(line, body) == 403

    assert db.execute("select count(*) from tenuto.api_keys").fetchone() == (0,)


def test_a_person_who_lost_their_role_while_they_send_does_nothing(
    url: str, settings: ServerSettings, db: psycopg.Connection
) -> None:
    ann = a_user(db, platform_role="writer")
    cookie = make_token()
    call(db, "open_login", org_id=DEFAULT_ORG, user_id=ann, hash=token_hash(cookie))
    headers = {"Cookie": f"{LOGIN}={cookie}", CSRF_HEADER: csrf_token(cookie)}

    with half_sent(url, "POST", "/v1/runs", headers) as line:
        wait_until(lambda: bucket_of(db, f"user:{ann}"))
        call(db, "set_user_role", org_id=DEFAULT_ORG, user_id=ann, platform_role="reader")
        assert answer_to(line) == 403

    assert db.execute("select count(*) from tenuto.runs").fetchone() == (0,)


def test_an_imported_key_that_is_revoked_while_it_sends_does_nothing(url: str, db: psycopg.Connection) -> None:
    key = "sk_live_of_another_system_0123456789"
    bcrypted = bcrypt.hashpw(key.encode(), bcrypt.gensalt(4)).decode()
    made = {"prefix": key[:8], "bcrypt": bcrypted, "name": "old", "permissions": ["runs:*"], "created_by": "ann"}
    id = call(db, "import_api_key", org_id=DEFAULT_ORG, **made)
    headers = {"Authorization": f"Bearer {key}"}

    with half_sent(url, "POST", "/v1/runs", headers) as line:
        wait_until(lambda: bucket_of(db, f"key:{id}"))
        call(db, "revoke_api_key", org_id=DEFAULT_ORG, id=id)
        assert answer_to(line) == 401

    assert db.execute("select count(*) from tenuto.runs").fetchone() == (0,)


def test_a_worker_whose_key_is_revoked_while_it_sends_does_nothing(url: str, db: psycopg.Connection) -> None:
    headers = worker_headers(db)
    schedule = {"name": "later", "kind": {"type": "a.b"}, "cron": "* * * * *"}
    body = json.dumps({"types": ["later"], "schedules": [schedule]}).encode()

    with half_sent(url, "PUT", "/internal/schedules", headers, len(body)) as line:
        wait_until(lambda: db.execute("select from tenuto.rate_buckets").fetchone() is not None)
        db.execute("update tenuto.worker_keys set revoked_at = now()")
        assert answer_to(line, body) == 401

    assert db.execute("select count(*) from tenuto.schedules").fetchone() == (0,)


def bucket_of(db: psycopg.Connection, name: str) -> bool:
    """Whether they were let in."""
    return db.execute("select from tenuto.rate_buckets where bucket = %s", [name]).fetchone() is not None


def test_a_client_that_leaves_while_it_sends_is_no_mistake_of_ours(
    url: str, make_headers: MakeKey, db: psycopg.Connection, caplog: pytest.LogCaptureFixture
) -> None:
    headers = make_headers("*")
    before = count_gone(url, headers)
    with half_sent(url, "POST", "/v1/runs", headers) as line:
        line.sendall(BODY[:5])

    wait_until(lambda: count_gone(url, headers) > before)
    assert [one.getMessage() for one in caplog.records if one.levelname == "ERROR"] == []


def count_gone(url: str, headers: dict[str, str]) -> float:
    """How many left before they had sent a start."""
    lines = httpx2.get(f"{url}/metrics", headers=headers, timeout=30).text.splitlines()
    found = [line for line in lines if "requests_total" in line and 'route="/v1/runs",status="499"' in line]
    return sum(float(line.split()[-1]) for line in found)
