"""Large bodies: others are answered while one is read, and an org has only so many on their way."""

import asyncio
import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from uuid import UUID, uuid4

import httpx2
import psycopg
import pytest
from starlette.requests import Request
from starlette.testclient import TestClient
from starlette.types import Message

from tenuto.model.errors import InvalidInput
from tenuto.server.http.request import (
    CHUNK_BYTES,
    LARGE_BODY_BYTES,
    MAX_BULK_BODY_BYTES,
    in_thread_if_large,
    parse_json,
    read_bounded,
)
from tenuto.server.limits.body_memory import BodyMemoryExceeded, Turns
from tenuto.server.settings import ServerSettings
from tests.server.conftest import MakeKey
from tests.server.test_slow_clients import answer_to, half_sent
from tests.support.database.loops import an_org
from tests.support.http.app_server import serving
from tests.support.waiting import wait_until

LET_IN = "select from tenuto.api_keys where last_used_at is not null"
ROWS = [{"id": no, "name": "ada"} for no in range(1000)]


def starts(size: int) -> bytes:
    """A body of about so many bytes."""
    one = {"type": "shop.send", "input": {"rows": ROWS}}
    return json.dumps([one] * (size // len(json.dumps(one)) + 1)).encode()


async def loop_turns_while_read(body: bytes) -> bool:
    """Whether the loop does something else while the body is read: the reader waits for it, in vain if it may not."""
    turned = threading.Event()

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    def read() -> tuple[bool, object]:
        return turned.wait(60 if len(body) > LARGE_BODY_BYTES else 0), parse_json(sent)

    sent = await read_bounded(Request({"type": "http", "headers": []}, receive), MAX_BULK_BODY_BYTES)
    reading = asyncio.create_task(in_thread_if_large(sent, read))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    turned.set()
    meanwhile, values = await reading
    assert values == json.loads(body)
    return meanwhile


def test_others_are_answered_while_a_large_body_is_read() -> None:
    assert not asyncio.run(loop_turns_while_read(starts(1000)))
    assert asyncio.run(loop_turns_while_read(starts(4 * LARGE_BODY_BYTES)))


@pytest.mark.parametrize("at", [CHUNK_BYTES - 1, CHUNK_BYTES - 3, CHUNK_BYTES, CHUNK_BYTES + 1, 2 * CHUNK_BYTES - 5])
def test_what_cannot_be_stored_is_found_wherever_it_stands_in_a_large_body(at: int) -> None:
    text = '["' + "x" * (at - 2) + "\\u0000" + "y" * CHUNK_BYTES + '"]'

    with pytest.raises(InvalidInput, match="NUL"):
        parse_json(text.encode())


@pytest.fixture
def url(settings: ServerSettings) -> Iterator[str]:
    """Where a server answers that takes 3 MB of large bodies of an org at a time."""
    with serving(replace(settings, org_bytes=3 * LARGE_BODY_BYTES)) as url:
        yield url


def test_an_org_that_has_much_on_its_way_is_asked_for_patience_and_others_are_not(
    url: str, make_headers: MakeKey, db: psycopg.Connection
) -> None:
    mine, other = make_headers("runs:write"), make_headers("runs:write", org_id=an_org(db, "other"))
    large, small = starts(2 * LARGE_BODY_BYTES), starts(1000)

    def post(body: bytes, headers: dict[str, str]) -> httpx2.Response:
        sent = {**headers, "Content-Type": "application/json"}
        return httpx2.post(f"{url}/v1/runs/bulk", content=body, headers=sent, timeout=60)

    with half_sent(url, "POST", "/v1/runs/bulk", mine, len(large)) as line:
        wait_until(lambda: db.execute(LET_IN).fetchall())
        refused = post(large, mine)
        assert (refused.status_code, refused.headers["retry-after"]) == (429, "2")
        assert "3 MB" in refused.json()["detail"]
        assert [post(small, mine).status_code, post(large, other).status_code] == [201, 201]
        assert answer_to(line, large) == 201
    assert post(large, mine).status_code == 201


def test_a_bulk_start_in_several_statements_answers_as_in_one(
    admin: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tenuto.server.routes.starts.MAX_VALUES", 5)
    starts = [{"type": "a.b", "input": [no], "dedupe_key": f"key {(7 * no) % 10}"} for no in range(20)]

    items = admin.post("/v1/runs/bulk", json=starts).json()["items"]

    assert [one["created"] for one in items] == [True] * 10 + [False] * 10
    assert [one["id"] for one in items[10:]] == [one["id"] for one in items[:10]]
    assert [admin.get(f"/v1/tasks/{one['id']}").json()["input"] for one in items[:10]] == [[no] for no in range(10)]


def test_a_start_that_is_refused_in_the_last_statement_leaves_nothing_of_the_others(
    admin: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tenuto.server.routes.starts.MAX_VALUES", 5)
    starts = [{"type": "a.b", "input": [no]} for no in range(20)]
    lost = {"type": "a.b", "input": {"$object": str(uuid4())}}

    assert admin.post("/v1/runs/bulk", json=[*starts, lost]).status_code == 404
    assert admin.get("/v1/runs").json()["items"] == []


def test_an_org_works_on_so_many_values_at_a_time_in_the_order_they_came() -> None:
    asyncio.run(take_turns())


async def take_turns() -> None:
    turns, mine, other = Turns(100_000, seconds=60), uuid4(), uuid4()
    began: list[str] = []
    gates = {name: asyncio.Event() for name in ("first", "whole", "later", "small", "other")}

    async def work(name: str, org_id: UUID, values: int) -> None:
        async with turns.take(org_id, values):
            began.append(name)
            await gates[name].wait()

    sizes = {"first": 60_000, "whole": 3_000_000, "later": 30_000, "small": 10, "other": 100_000}
    tasks = {
        name: asyncio.create_task(work(name, other if name == "other" else mine, size)) for name, size in sizes.items()
    }
    while len(began) < 3:
        await asyncio.sleep(0)
    assert sorted(began) == ["first", "other", "small"]  # "later" would fit, and does not overtake
    tasks["whole"].cancel()
    await asyncio.wait([tasks["whole"]])
    while "later" not in began:
        await asyncio.sleep(0)
    for gate in gates.values():
        gate.set()
    await asyncio.gather(*(tasks[name] for name in tasks if name != "whole"))


def test_who_gets_no_turn_in_time_is_asked_for_patience() -> None:
    async def wait_in_vain() -> None:
        turns, org_id = Turns(100_000, seconds=0.01), uuid4()
        async with turns.take(org_id, 90_000):
            with pytest.raises(BodyMemoryExceeded, match=r"more than 0\.01 s"):
                async with turns.take(org_id, 50_000):
                    raise AssertionError("it had no turn")
        async with turns.take(org_id, 100_000):
            pass

    asyncio.run(wait_in_vain())
