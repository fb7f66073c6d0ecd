"""Clients that send slowly: what they hold meanwhile, and what counts when they are done."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import httpx2
import psycopg
import pytest

from tenuto.server.settings import ServerSettings
from tests.server.conftest import MakeKey
from tests.support.http_server import serving

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
    headers = make_headers("runs:write", "runs:read")
    slow = {**headers, "Idempotency-Key": "once"}

    with half_sent(url, "DELETE", f"/v1/runs/{uuid4()}", slow) as line:
        for _ in range(20):
            assert httpx2.get(f"{url}/v1/runs", headers=headers, timeout=5).status_code == 200
        assert answer_to(line) == 404
