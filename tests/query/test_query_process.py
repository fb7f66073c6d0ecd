"""What a query process sends is bounded and checked: whatever it is, the query fails, and nothing else does."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, cast

import pytest

from tenuto.query.frames import HEAD, MAX_CONTROL_BYTES, pack, pack_json
from tenuto.query.limits import LIMITS
from tenuto.query.process import QueryFailed, QueryProcess, Views
from tenuto.runtimes.sandbox.runtime import Sandbox


class NoData:
    """A query that reads no file."""

    async def read(self, number: int, offset: int, length: int) -> bytes:
        raise AssertionError((number, offset, length))

    async def rows(self, number: int, page: int) -> bytes:
        raise AssertionError((number, page))


@asynccontextmanager
async def process_that_sends(content: bytes) -> AsyncIterator[QueryProcess]:
    """The trusted side of a process that has sent this, whatever it was asked."""
    ours, theirs = socket.socketpair()
    with theirs:
        theirs.setblocking(False)
        reader, writer = await asyncio.open_connection(sock=ours)
        other_reader, other_writer = await asyncio.open_connection(sock=theirs)
        other_writer.write(content)
        try:
            yield QueryProcess(Sandbox(cast(Any, None), reader, writer), AsyncExitStack(), LIMITS)
        finally:
            writer.close()
            other_writer.close()
            assert other_reader is not None


async def result_of(content: bytes) -> list[object]:
    async with process_that_sends(content) as process, asyncio.timeout(20):
        return [block async for block in process.run(Views([], NoData()))]


def test_a_control_message_is_small() -> None:
    huge = pack(b"J", json.dumps({"error": "x" * MAX_CONTROL_BYTES}).encode())
    with pytest.raises(QueryFailed, match="which no query sends"):
        asyncio.run(result_of(huge[:4096]))  # refused by its head: the rest never comes


def test_a_result_without_a_block_is_refused() -> None:
    done = pack_json({"done": {"rows": 0, "truncated": False}})
    with pytest.raises(QueryFailed, match="which no query sends"):
        asyncio.run(result_of(done))
    assert len(asyncio.run(result_of(pack(b"B", b"x") + done))) == 2


@pytest.mark.parametrize(
    "content",
    [
        HEAD.pack(b"X", 1) + b"x",
        pack(b"J", b"[" * 60_000),
        pack(b"J", b"\xff"),
        pack_json({"read": [0, 0, 0]}),
        pack_json({"rows": [0, -1]}),
        pack_json({"done": {"rows": "1", "truncated": False}}),
    ],
)
def test_what_is_no_message_ends_the_query(content: bytes) -> None:
    with pytest.raises(QueryFailed):
        asyncio.run(result_of(content))


def test_the_names_of_tables_are_no_block() -> None:
    async def parse() -> list[str]:
        async with process_that_sends(pack(b"B", b'{"tables": ["a"]}')) as process:
            return await process.parse("select 1", "json", 1)

    with pytest.raises(QueryFailed, match="which no query sends"):
        asyncio.run(parse())
