"""Counts open connections. When there are too many, those that have sent no request are closed first.

Counting costs a request nothing: a connection is looked at when it opens, at its first request and when it closes.
"""

import json
from collections.abc import Iterable
from functools import lru_cache
from ipaddress import ip_address, ip_network
from typing import Protocol

from tenuto.server.http.problems import MEDIA_TYPE, TITLES

MAX_LOOKS = 64  # at used connections, when one is to be closed
PHRASES = {400: "Bad Request", 408: "Request Timeout", 429: "Too Many Requests", 503: "Service Unavailable"}


class ClientConnection(Protocol):
    """An open connection: from which host, and which address it counts for."""

    host: str
    address: str

    def is_idle(self) -> bool:
        """Whether nobody waits for an answer on it."""
        ...

    def refuse(self, answer: bytes) -> None:
        """Write this and close."""
        ...


class ConnectionLimit:
    """The open connections of a process. Those of trusted proxies, which speak for many, have no bound of their own."""

    def __init__(self, max_total: int, max_per_address: int, trusted: Iterable[str] = ()) -> None:
        self._max_total, self._max_per_address = max_total, max_per_address
        self._trusted = [ip_network(one) for one in trusted]
        self._is_trusted = lru_cache(1000)(self._look_up)
        self._all, self._of_address = _Lines(), dict[str, _Lines]()

    def enter(self, line: ClientConnection) -> None:
        """Count a new connection. Where there is no room, one that is silent is closed for it, or it is refused."""
        address = line.address
        own = self._of_address.get(address)
        if own and len(own) >= self._max_per_address and not self._is_trusted(line.host):
            idle = own.find_idle()
            if idle is None:
                line.refuse(TOO_MANY_OF_ADDRESS)
                return
            self._shed(idle)
        if len(self._all) >= self._max_total:
            idle = self._all.find_idle()
            if idle is None:
                line.refuse(TOO_MANY)
                return
            self._shed(idle)
        self._all.add(line)
        self._of_address.setdefault(address, _Lines()).add(line)

    def note_request(self, line: ClientConnection) -> None:
        """It has sent its first request."""
        for lines in (self._all, self._of_address.get(line.address)):
            if lines is not None:
                lines.move_to_used(line)

    def leave(self, line: ClientConnection) -> None:
        """It is closed; twice is fine."""
        self._all.discard(line)
        own = self._of_address.get(line.address)
        if own is not None:
            own.discard(line)
            if not len(own):
                del self._of_address[line.address]

    def _shed(self, line: ClientConnection) -> None:
        self.leave(line)
        line.refuse(CLOSED_WHILE_SILENT)

    def _look_up(self, host: str) -> bool:
        try:
            found = ip_address(host)
        except ValueError:
            return False
        return any(found in network for network in self._trusted)


class _Lines:
    """Connections in the order they came: those that have sent no request, and the others."""

    def __init__(self) -> None:
        self._fresh: dict[ClientConnection, None] = {}
        self._used: dict[ClientConnection, None] = {}

    def __len__(self) -> int:
        return len(self._fresh) + len(self._used)

    def add(self, line: ClientConnection) -> None:
        self._fresh[line] = None

    def move_to_used(self, line: ClientConnection) -> None:
        if line in self._fresh:
            del self._fresh[line]
            self._used[line] = None

    def discard(self, line: ClientConnection) -> None:
        self._fresh.pop(line, None)
        self._used.pop(line, None)

    def find_idle(self) -> ClientConnection | None:
        """The oldest one that has sent no request, else one that waits for its next request. Busy ones that were
        looked at go to the end, so that they are not looked at again at once."""
        for line in self._fresh:
            return line
        for line in [line for _, line in zip(range(MAX_LOOKS), self._used, strict=False)]:
            if line.is_idle():
                return line
            del self._used[line]
            self._used[line] = None
        return None


def raw_problem(status: int, code: str, detail: str, hint: str, *, retry_after: int | None = None) -> bytes:
    """A whole answer, for connections on which no request was read."""
    content = {
        "type": f"https://tenuto.invalid/problems/{code}",
        "title": TITLES.get(status, PHRASES[status].lower()),
        "status": status,
        "code": code,
        "detail": detail,
        "hint": hint,
    }
    body = json.dumps(content).encode()
    after = f"retry-after: {retry_after}\r\n" if retry_after else ""
    head = (
        f"HTTP/1.1 {status} {PHRASES[status]}\r\ncontent-type: {MEDIA_TYPE}\r\ncontent-length: {len(body)}\r\n"
        f"{after}connection: close\r\n\r\n"
    )
    return head.encode() + body


TOO_MANY_OF_ADDRESS = raw_problem(
    429, "rate_limited", "your address has as many connections open as one may", "use those you have", retry_after=5
)
TOO_MANY = raw_problem(503, "unavailable", "the server has no room for a connection", "try again", retry_after=1)
CLOSED_WHILE_SILENT = raw_problem(
    503, "unavailable", "the connection was closed to make room for others", "connect again", retry_after=1
)
LATE = raw_problem(408, "timeout", "the request did not arrive in time", "send it again, and faster")
NO_REQUEST = raw_problem(400, "bad_request", "this is not an HTTP request", "send HTTP/1.1")
