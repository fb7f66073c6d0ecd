"""Large bodies: others are answered while one is read, and an org has only so many on their way."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace

import httpx2
import psycopg
import pytest
from starlette.types import Message

from tenuto.model.errors import InvalidInput
from tenuto.server.json_body import LARGE, STEP, BulkRequest, parse_json
from tenuto.server.settings import ServerSettings
from tests.server.conftest import MakeKey
from tests.server.test_slow_clients import answer_to, half_sent
from tests.support.http_server import serving
from tests.support.loops import an_org
from tests.support.waiting import wait_until

LET_IN = "select from tenuto.api_keys where last_used_at is not null"
ROWS = [{"id": no, "name": "ada"} for no in range(1000)]


def starts(size: int) -> bytes:
    """A body of about so many bytes."""
    one = {"type": "shop.send", "input": {"rows": ROWS}}
    return json.dumps([one] * (size // len(json.dumps(one)) + 1)).encode()


async def turns_while_read(body: bytes) -> int:
    """How often the loop does something else while the body is read."""

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    request = BulkRequest({"type": "http", "headers": []}, receive)
    await request.body()
    reading = asyncio.create_task(request.json())
    turns = 0
    while not reading.done():
        await asyncio.sleep(0)
        turns += 1
    assert len(reading.result()) >= 1
    return turns


def test_others_are_answered_while_a_large_body_is_read() -> None:
    assert asyncio.run(turns_while_read(starts(1000))) <= 2
    assert asyncio.run(turns_while_read(starts(4 * LARGE))) > 10


@pytest.mark.parametrize("at", [STEP - 1, STEP - 3, STEP, STEP + 1, 2 * STEP - 5])
def test_what_cannot_be_stored_is_found_wherever_it_stands_in_a_large_body(at: int) -> None:
    text = '["' + "x" * (at - 2) + "\\u0000" + "y" * STEP + '"]'

    with pytest.raises(InvalidInput, match="NUL"):
        parse_json(text.encode())


@pytest.fixture
def url(settings: ServerSettings) -> Iterator[str]:
    """Where a server answers that takes 3 MB of large bodies of an org at a time."""
    with serving(replace(settings, org_bytes=3 * LARGE)) as url:
        yield url


def test_an_org_that_has_much_on_its_way_is_asked_for_patience_and_others_are_not(
    url: str, make_headers: MakeKey, db: psycopg.Connection
) -> None:
    mine, other = make_headers("runs:write"), make_headers("runs:write", org_id=an_org(db, "other"))
    large, small = starts(2 * LARGE), starts(1000)

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
