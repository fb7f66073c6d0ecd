"""Requests as bytes on a wire: too much, too long, never ending, or no requests at all."""

import logging
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from urllib.parse import urlsplit

import psycopg
import pytest

from tenuto.server.http.request import MAX_BODY_BYTES, MAX_BULK_BODY_BYTES
from tenuto.server.settings import ServerSettings
from tests.server.conftest import MakeKey
from tests.support.http.app_server import serving

MB = 1 << 20


class Wire:
    """One connection to the server, with a key."""

    def __init__(self, url: str, key: dict[str, str]) -> None:
        parts = urlsplit(url)
        self._socket = socket.create_connection((parts.hostname or "", parts.port or 0), timeout=30)
        self._key = key

    def begin(self, method: str, path: str, *headers: str) -> None:
        lines = [f"{method} {path} HTTP/1.1", "Host: x", *(f"{name}: {value}" for name, value in self._key.items())]
        self.send("\r\n".join([*lines, "Content-Type: application/json", *headers, "", ""]).encode("latin-1"))

    def send(self, data: bytes) -> None:
        self._socket.sendall(data)

    def send_all_it_takes(self, data: bytes) -> None:
        with suppress(OSError):  # it had enough
            self.send(data)

    def send_chunks(self, chunk: bytes, most: int) -> int:
        """How many bytes went out before the server had enough."""
        sent, framed = 0, b"%x\r\n%s\r\n" % (len(chunk), chunk)
        with suppress(OSError):
            while sent < most:
                self.send(framed)
                sent += len(chunk)
        return sent

    def answer(self) -> str:
        """The head and the body of an answer: until the server closes, or has sent all that it announced."""
        text = b""
        with suppress(OSError):  # it closes while we are still sending
            while piece := self._socket.recv(MB):
                text += piece
                head, _, body = text.partition(b"\r\n\r\n")
                if b"content-length: %d\r\n" % len(body) in head + b"\r\n":
                    break
        return text.decode()

    def close(self) -> None:
        self._socket.close()


Open = Callable[..., Wire]


@pytest.fixture
def connect(settings: ServerSettings, make_headers: MakeKey) -> Iterator[Open]:
    """New connections, with a key unless another is given."""
    good = make_headers("*")
    with serving(settings) as url, ExitStack() as stack:
        yield lambda key=good: stack.enter_context(closing(Wire(url, key)))


@pytest.fixture
def wire(connect: Open) -> Wire:
    return connect()


def nothing_started(db: psycopg.Connection) -> bool:
    return db.execute("select count(*) from tenuto.runs").fetchone() == (0,)


@pytest.mark.parametrize(
    ("path", "most"),
    [("/v1/runs", MAX_BODY_BYTES), ("/v1/runs/bulk", MAX_BULK_BODY_BYTES), ("/v1/objects", MAX_BULK_BODY_BYTES)],
)
def test_a_body_that_is_announced_as_too_large_is_refused_before_any_of_it_is_sent(
    wire: Wire, db: psycopg.Connection, path: str, most: int
) -> None:
    wire.begin("POST", path, f"Content-Length: {most + 1}")

    answer = wire.answer()

    assert answer.startswith("HTTP/1.1 413 ")
    assert '"code":"too_large"' in answer
    assert nothing_started(db)


@pytest.mark.parametrize(("path", "most"), [("/v1/runs", MAX_BODY_BYTES), ("/v1/runs/bulk", MAX_BULK_BODY_BYTES)])
def test_a_body_without_end_is_refused_where_its_bound_is(
    wire: Wire, db: psycopg.Connection, path: str, most: int
) -> None:
    wire.begin("POST", path, "Transfer-Encoding: chunked")

    sent = wire.send_chunks(b" " * MB, 2 * most + 64 * MB)

    assert sent < most + 32 * MB  # what lies in buffers between us and the server counts as sent
    answer = wire.answer()
    assert answer == "" or answer.startswith("HTTP/1.1 413 ")
    assert nothing_started(db)


def test_who_is_not_let_in_cannot_send_for_ever(connect: Open) -> None:
    wire = connect({"Authorization": "Bearer nonsense"})
    wire.begin("POST", "/v1/runs/bulk", "Transfer-Encoding: chunked")

    assert wire.send_chunks(b" " * MB, MAX_BULK_BODY_BYTES) < 32 * MB


def test_a_body_in_chunks_is_as_good_as_one_with_a_length(wire: Wire) -> None:
    wire.begin("POST", "/v1/runs", "Transfer-Encoding: chunked")
    for byte in b'{"type": "a.b"}':
        wire.send(b"1\r\n%c\r\n" % byte)
    wire.send(b"0\r\n\r\n")

    assert wire.answer().startswith("HTTP/1.1 201 ")


def test_a_request_with_two_lengths_is_refused_and_nothing_after_it_is_read(connect: Open) -> None:
    wire = connect()
    wire.begin("POST", "/v1/runs", "Content-Length: 5", "Transfer-Encoding: chunked")
    wire.send_all_it_takes(b"0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
    answer = wire.answer()

    assert answer.startswith("HTTP/1.1 400 ")
    assert "connection: close" in answer
    assert wire.answer() == ""


# The protocol refuses these before there is a request that could get a problem with a code.
NO_REQUESTS = [
    b"GET /healthz\r\n\r\n",
    b"G\x00T /healthz HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Request-Id: a\x00b\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: " + b"a" * MB + b"\r\n\r\n",
    b"GET /" + b"a" * MB + b" HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nHost: x\r\n" + b"X-Many: 1\r\n" * 100_000 + b"\r\n",
    b"POST /v1/runs HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
    b"POST /v1/runs HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    b"POST /v1/runs HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(64) + b"\r\n\r\n",
]


def test_what_is_no_request_is_refused_and_writes_nothing_and_the_server_goes_on(
    connect: Open, caplog: pytest.LogCaptureFixture
) -> None:
    for head in NO_REQUESTS:
        wire = connect()
        wire.send_all_it_takes(head)
        answer = wire.answer()
        assert answer == "" or answer.startswith("HTTP/1.1 4"), (head[:60], answer[:200])

    wire = connect()
    wire.begin("GET", "/v1/runs", "Connection: upgrade", "Upgrade: websocket")
    assert wire.answer().startswith("HTTP/1.1 200 ")
    assert [one.getMessage() for one in caplog.records if one.levelno >= logging.WARNING] == []


# Ids that would do harm in a log or a header.
IDS = ["a b", "<script>", "é", '"', "a" * 129, "", "a;b", "%0d%0aSet-Cookie: x=1", "a\r\n X-Evil: 1"]


def test_an_id_of_a_request_that_is_not_plain_is_replaced(connect: Open) -> None:
    for given in IDS:
        wire = connect()
        wire.begin("GET", "/v1/runs", f"X-Request-Id: {given}")
        head = wire.answer().partition("\r\n\r\n")[0].lower()
        (shown,) = [line.partition(": ")[2] for line in head.split("\r\n") if line.startswith("x-request-id: ")]
        assert head.startswith("http/1.1 200 "), given
        assert len(shown) == 32, given
        assert "set-cookie" not in head
        assert "x-evil" not in head


def test_a_plain_id_of_a_request_is_kept(wire: Wire) -> None:
    wire.begin("GET", "/v1/runs", "X-Request-Id: deploy-7.2_a")

    assert "x-request-id: deploy-7.2_a\r\n" in wire.answer()
