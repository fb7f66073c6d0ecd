"""Clients of queries that leave, do not read, speak an old protocol, or get a result that is cut."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

import httpx2
import psycopg
import pytest

from tenuto.model.errors import Conflict
from tenuto.query import pool
from tenuto.query.slots import QuerySlots
from tenuto.runtimes.sandbox.capabilities import SandboxUnavailable, find_capabilities
from tenuto.sdk.client.http_client import Http
from tenuto.sdk.client.query_calls import send_query
from tenuto.server import queries
from tenuto.server.settings import ServerSettings
from tests.server.conftest import MakeKey
from tests.support.database.audit import entries_of_requests
from tests.support.database.loops import an_org
from tests.support.http.app_server import serving
from tests.support.sandbox.availability import require_full_sandbox
from tests.support.waiting import wait_until

LARGE = "select repeat('x', 1000) as text from range(30000)"
ENDLESS = "select count(*) from range(100000000000) a, range(1000) b"


@pytest.fixture
def slots(monkeypatch: pytest.MonkeyPatch) -> list[QuerySlots]:
    """The slots of the servers of this test."""
    made: list[QuerySlots] = []
    begin = QuerySlots.__init__

    def noted(self: QuerySlots, total: int) -> None:
        begin(self, total)
        made.append(self)

    monkeypatch.setattr(QuerySlots, "__init__", noted)
    return made


@pytest.fixture
def url(settings: ServerSettings, slots: list[QuerySlots]) -> Iterator[str]:
    require_full_sandbox()
    assert not slots
    with serving(replace(settings, queries=2)) as url:
        yield url


def taken(slots: list[QuerySlots]) -> int:
    return sum(sum(found._taken.values()) for found in slots)


def ask(url: str, headers: dict[str, str], sql: str, version: str = "1.1", **more: str) -> socket.socket:
    """Send a query and return the connection, with nothing read from it."""
    host, port = urlsplit(url).netloc.split(":")
    fields = {"sql": sql, "max_rows": 1_000_000, **more}
    path = "/v1/query/export" if "format" in more else "/v1/query"
    body = httpx2.Request("POST", url, json=fields).content
    head = {"Host": host, "Content-Type": "application/json", "Content-Length": str(len(body)), **headers}
    text = "".join(f"{name}: {value}\r\n" for name, value in head.items())
    line = socket.create_connection((host, int(port)), timeout=60)
    line.sendall(f"POST {path} HTTP/{version}\r\n{text}\r\n".encode() + body)
    return line


def test_a_query_ends_when_its_client_leaves(url: str, make_headers: MakeKey, slots: list[QuerySlots]) -> None:
    line = ask(url, make_headers("*"), ENDLESS)
    wait_until(lambda: taken(slots) == 1)
    line.close()
    wait_until(lambda: taken(slots) == 0)


def test_a_client_that_does_not_read_holds_no_slot_for_ever(
    url: str, make_headers: MakeKey, slots: list[QuerySlots], monkeypatch: pytest.MonkeyPatch
) -> None:
    streamed = queries.StreamedResult.__init__
    begun = threading.Event()

    def hasty(self: Any, running: Any, format: str, held: Any, seconds: float) -> None:
        assert seconds == 60
        streamed(self, running, format, held, 0.5)
        begun.set()

    monkeypatch.setattr(queries.StreamedResult, "__init__", hasty)
    with ask(url, make_headers("*"), LARGE):
        assert begun.wait(60)
        wait_until(lambda: taken(slots) == 0)


def test_queries_of_one_org_leave_a_slot_to_another(
    url: str, make_headers: MakeKey, slots: list[QuerySlots], db: psycopg.Connection
) -> None:
    mine, other = make_headers("*"), make_headers("*", org_id=an_org(db, "other"))
    lines = [ask(url, mine, ENDLESS) for _ in range(4)]
    try:
        wait_until(lambda: sum(len(turns) for found in slots for turns in found._waiting.values()) == 3)
        answer = httpx2.post(f"{url}/v1/query", headers=other, json={"sql": "select 1"}, timeout=60)
        assert (answer.status_code, answer.json()["rows"]) == (200, [[1]])
    finally:
        for line in lines:
            line.close()
    wait_until(lambda: taken(slots) == 0)


def test_a_result_over_http_1_0_has_a_length_or_is_refused(url: str, make_headers: MakeKey) -> None:
    headers = {**make_headers("*"), "Connection": "close"}

    def answer_to(sql: str, **more: str) -> tuple[bytes, bytes]:
        with ask(url, headers, sql, "1.0", format="csv", **more) as line:
            head, _, body = b"".join(iter(lambda: line.recv(65536), b"")).partition(b"\r\n\r\n")
            return head.lower(), body

    head, body = answer_to("select 1 as id")
    assert (b" 200 " in head, b"content-length: 5" in head, body) == (True, True, b"id\n1\n")
    head, body = answer_to(LARGE)
    assert (b" 413 " in head, b"HTTP/1.1" in body) == (True, True)


def test_a_query_whose_result_was_cut_is_not_repeated(url: str, make_headers: MakeKey, db: psycopg.Connection) -> None:
    key = make_headers("*")["Authorization"].removeprefix("Bearer ")

    async def export() -> None:
        http = Http(url, key)
        try:
            await send_query(http, sql=LARGE, as_of=None, format="csv", max_rows=20_000)
        finally:
            await http.close()

    with pytest.raises(Conflict, match="before it was complete"):
        asyncio.run(export())
    assert [entry["action"] for entry in entries_of_requests(db, entity="query")] == ["run"]


class TestWeakMachine:
    """A machine that can confine the process of a query only in part."""

    @pytest.fixture(autouse=True)
    def weak(self, monkeypatch: pytest.MonkeyPatch) -> None:
        strong = find_capabilities

        async def found(*, weak: bool) -> Any:
            if not weak:
                raise SandboxUnavailable("this kernel has no user namespaces")
            return await strong(weak=True)

        monkeypatch.setattr(pool, "_capabilities", {})
        monkeypatch.setattr(pool, "find_capabilities", found)

    @pytest.mark.parametrize(("weak_queries", "status"), [(False, 409), (True, 200)])
    def test_it_refuses_queries_unless_told_otherwise(
        self, settings: ServerSettings, make_headers: MakeKey, *, weak_queries: bool, status: int
    ) -> None:
        with serving(replace(settings, weak_queries=weak_queries)) as url:
            body = {"sql": "select 1"}
            answer = httpx2.post(f"{url}/v1/query", headers=make_headers("*"), json=body, timeout=60)
        assert answer.status_code == status, answer.text
        assert status == 200 or "TENUTO_QUERY_SANDBOX=weak" in answer.json()["hint"]
