"""Clients that do not finish what they send, and proxies that say for whom they ask."""

import socket
import threading
from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import urlsplit

import httpx2
import psycopg
import pytest

from tenuto.cli.exit_codes import UsageError
from tenuto.cli.processes.http_listener import read_proxies
from tenuto.server.http.slow_clients import SlowClientProtocol
from tenuto.server.settings import ServerSettings
from tests.server.conftest import MakeKey
from tests.support.database.audit import entries_of_requests
from tests.support.http.app_server import serving

HEAD = b"GET /healthz HTTP/1.1\r\nHost: here\r\n"


class Hasty(SlowClientProtocol):
    """Looks often, so that a test need not wait long."""

    seconds = 0.5


@pytest.fixture
def url(settings: ServerSettings) -> Iterator[str]:
    with serving(settings, http=Hasty) as url:
        yield url


def connect(url: str) -> socket.socket:
    host, port = urlsplit(url).netloc.split(":")
    return socket.create_connection((host, int(port)), timeout=20)


def dribble(line: socket.socket, text: bytes) -> bytes:
    """Send a byte now and then until the other side has had enough; what it said."""
    line.settimeout(0.05)
    for at in range(10_000):
        try:
            line.sendall(text[at : at + 1] or b"x")
            if heard := line.recv(4096):
                return heard
        except TimeoutError:
            continue
        except OSError:
            break
        else:
            break
    return b""


def test_a_head_that_does_not_end_is_not_waited_for(url: str) -> None:
    with connect(url) as line:
        assert dribble(line, HEAD + b"X-Slow: ").startswith(b"HTTP/1.1 408 ")


def test_who_says_nothing_is_not_waited_for(url: str) -> None:
    with connect(url) as line:
        assert line.recv(4096).startswith(b"HTTP/1.1 408 ")


def test_a_second_head_that_does_not_end_is_not_waited_for_either(url: str) -> None:
    with connect(url) as line:
        line.sendall(HEAD + b"\r\n")
        response = b""
        while not response.endswith(b'{"status":"ok"}'):  # head and body may arrive separately
            response += line.recv(4096)
        assert response.startswith(b"HTTP/1.1 200 ")

        assert dribble(line, HEAD + b"X-Slow: ").startswith(b"HTTP/1.1 408 ")


def test_a_body_that_does_not_come_is_not_waited_for(url: str, make_headers: MakeKey) -> None:
    key = make_headers("runs:write")["Authorization"]
    head = f"POST /v1/runs HTTP/1.1\r\nHost: here\r\nAuthorization: {key}\r\nContent-Length: 100000\r\n"
    with connect(url) as line:
        line.sendall(f"{head}Content-Type: application/json\r\n\r\n".encode())

        assert dribble(line, b"[").startswith(b"HTTP/1.1 408 ")


def test_who_waits_for_an_answer_is_not_cut_off(url: str, make_headers: MakeKey) -> None:
    headers = make_headers("runs:write", "runs:read")
    run = httpx2.post(f"{url}/v1/runs", json={"type": "a.b"}, headers=headers, timeout=30).json()["id"]

    waited = httpx2.get(f"{url}/v1/runs/{run}?wait=1", headers=headers, timeout=20)

    assert (waited.status_code, waited.json()["status"]) == (200, "pending")


@pytest.mark.parametrize(("trusted", "ip"), [((), "127.0.0.1"), (("127.0.0.0/8",), "192.0.2.7")])
def test_only_a_trusted_proxy_says_who_asks(
    settings: ServerSettings, make_headers: MakeKey, db: psycopg.Connection, trusted: tuple[str, ...], ip: str
) -> None:
    said = {**make_headers("*"), "X-Forwarded-For": "203.0.113.9, 192.0.2.7"}
    with serving(replace(settings, trusted_proxies=trusted)) as url:
        assert httpx2.post(f"{url}/v1/runs", json={"type": "a.b"}, headers=said, timeout=30).status_code == 201

    (entry,) = entries_of_requests(db)
    assert entry["ip"] == ip


def test_what_is_no_address_is_no_trusted_proxy() -> None:
    assert read_proxies("10.0.0.7, 10.1.0.0/16,::1") == ("10.0.0.7", "10.1.0.0/16", "::1")
    for wrong in ("proxy.example", "10.0.0.0/99", "*"):
        with pytest.raises(UsageError, match="not an address or network"):
            read_proxies(wrong)


def test_a_response_that_is_not_read_is_not_waited_for(settings: ServerSettings) -> None:
    lost = threading.Event()

    class Noted(Hasty):
        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            lost.set()

    with serving(settings, http=Noted) as url, connect(url) as line:
        line.sendall((b"GET /openapi.json HTTP/1.1\r\nHost: here\r\n\r\n") * 40)
        assert lost.wait(60)
