"""Many connections: silent ones make room for others, and what is refused is a problem that says so."""

import json
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from urllib.parse import urlsplit
from uuid import uuid4

import httpx2
import pytest

from tenuto.server.http.middleware import RequestLimit
from tenuto.server.http.request_log import RequestRecord
from tenuto.server.limits.connection_limit import ConnectionLimit
from tenuto.server.limits.long_poll import WaiterLimit
from tenuto.server.settings import ServerSettings
from tests.server.conftest import MakeKey
from tests.support.http.app_server import serving
from tests.support.waiting import wait_until


def connect(url: str) -> socket.socket:
    host, port = urlsplit(url).netloc.split(":")
    return socket.create_connection((host, int(port)), timeout=20)


class Silent:
    """Connections that send nothing; those that the server closes are opened anew."""

    def __init__(self, url: str, count: int) -> None:
        self._url = url
        self.lines = [connect(url) for _ in range(count)]

    def renew(self) -> int:
        """How many had been closed."""
        closed = [no for no, line in enumerate(self.lines) if _is_closed(line)]
        for no in closed:
            self.lines[no].close()
            self.lines[no] = connect(self._url)
        return len(closed)


def _is_closed(line: socket.socket) -> bool:
    line.setblocking(False)
    try:
        return line.recv(4096) is not None
    except BlockingIOError:
        return False
    except ConnectionResetError:
        return True


@contextmanager
def silent(url: str, count: int) -> Iterator[Silent]:
    crowd = Silent(url, count)
    try:
        yield crowd
    finally:
        for line in crowd.lines:
            line.close()


def answer_of(line: socket.socket) -> tuple[str, dict[str, object]]:
    """The head of an answer, and the problem in it."""
    text = b""
    while piece := line.recv(65536):
        text += piece
    head, _, body = text.decode().partition("\r\n\r\n")
    return head, json.loads(body)


@pytest.mark.parametrize("bound", ["max_connections_per_address", "max_connections"])
def test_silent_connections_do_not_keep_others_out(settings: ServerSettings, make_headers: MakeKey, bound: str) -> None:
    headers = make_headers("runs:read")
    with serving(replace(settings, **{bound: 40})) as url, silent(url, 120) as crowd:
        for _ in range(5):
            wait_until(lambda: crowd.renew() >= 1)  # the server closes what is over the bound a moment later
            assert httpx2.get(f"{url}/healthz", timeout=30).status_code == 200
            assert httpx2.get(f"{url}/v1/runs", headers=headers, timeout=30).status_code == 200


@dataclass(eq=False)
class ALine:
    """A connection without a wire."""

    address: str
    busy: bool = True
    host: str = ""
    heard: bytes = b""

    def is_idle(self) -> bool:
        return not self.busy

    def refuse(self, response: bytes) -> None:
        self.heard = response


def entered(connections: ConnectionLimit, *lines: ALine) -> None:
    for line in lines:
        connections.enter(line)
        connections.note_request(line)


def test_a_connection_for_which_there_is_no_room_gets_a_problem() -> None:
    connections = ConnectionLimit(4, 2)
    busy = [ALine(address) for address in ("10.0.0.1", "10.0.0.1", "10.0.0.2", "10.0.0.3")]
    entered(connections, *busy)
    same, other = ALine("10.0.0.1"), ALine("10.0.0.9")
    entered(connections, same, other)

    assert [line.heard for line in busy] == [b""] * 4
    for line, status, code in ((same, 429, "rate_limited"), (other, 503, "unavailable")):
        head, _, body = line.heard.decode().partition("\r\n\r\n")
        assert head.startswith(f"HTTP/1.1 {status} ")
        assert "content-type: application/problem+json" in head
        assert "retry-after: " in head
        assert json.loads(body)["code"] == code


def test_a_connection_that_waits_for_its_next_request_makes_room_and_busy_ones_do_not() -> None:
    connections = ConnectionLimit(200, 100)
    lines = [ALine("10.0.0.1", busy=no != 70) for no in range(100)]
    entered(connections, *lines)
    late = [ALine("10.0.0.1") for _ in range(3)]
    entered(connections, *late)

    assert [no for no, line in enumerate(lines) if line.heard] == [70]
    assert [bool(line.heard) for line in late] == [True, False, True]  # the first looked at 64, the second at the rest
    connections.leave(lines[0])
    entered(connections, again := ALine("10.0.0.1"))
    assert again.heard == b""


def test_a_trusted_proxy_has_as_many_connections_as_fit(settings: ServerSettings) -> None:
    proxied = replace(settings, max_connections_per_address=5, trusted_proxies=("127.0.0.0/8",))
    with serving(proxied) as url, silent(url, 30) as crowd:
        assert httpx2.get(f"{url}/healthz", timeout=30).status_code == 200
        assert crowd.renew() == 0


def test_what_is_no_request_is_answered_with_a_problem(settings: ServerSettings) -> None:
    with serving(settings) as url, connect(url) as line:
        line.sendall(b"nonsense\r\n\r\n")
        head, problem = answer_of(line)

    assert head.startswith("HTTP/1.1 400 ")
    assert problem["code"] == "bad_request"


def test_workers_and_health_checks_find_room_when_others_do_not() -> None:
    room = RequestLimit(20)

    def statuses(path: str, count: int) -> list[int]:
        found = [room.enter({"type": "http", "path": path}, RequestRecord("r")) for _ in range(count)]
        return [200 if one is None else one.status_code for one in found]

    assert statuses("/v1/runs", 17) == [200] * 16 + [503]
    room.leave()
    assert statuses("/internal/claim", 3) == [200] * 3
    assert statuses("/v1/task/steps", 1) == [503]
    assert statuses("/healthz", 2) == [200, 200]
    for _ in range(22):
        room.leave()
    assert statuses("/v1/runs", 1) == [200]


def test_orgs_that_wait_a_lot_leave_seats_to_others() -> None:
    seats, orgs = WaiterLimit(200, 600), [uuid4() for _ in range(4)]
    with ExitStack() as stack:
        taken = []
        for org_id in orgs:
            taken.append(0)
            while seats.free(org_id):
                stack.enter_context(seats.take(org_id))
                taken[-1] += 1
        assert taken == [200, 200, 100, 50]
        assert seats.free(uuid4())
    assert seats.free(orgs[0])
