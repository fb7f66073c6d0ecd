"""Limits open connections. When there are too many, connections that have not sent a request are closed first.

Connections are counted when they open, at their first request and when they close, so that later requests cost nothing.
"""

import json
from collections.abc import Iterable
from functools import lru_cache
from ipaddress import ip_address, ip_network
from typing import Protocol

from tenuto.model.statuses import ProblemCode
from tenuto.server.http.problems import MEDIA_TYPE, TITLES

MAX_LOOKS = 64  # maximum number of used connections that are checked to find an idle one
PHRASES = {400: "Bad Request", 408: "Request Timeout", 429: "Too Many Requests", 503: "Service Unavailable"}


class ClientConnection(Protocol):
    """An open connection. `host` is the client's address, `address` the address or network under which it is
    counted."""

    host: str
    address: str

    def is_idle(self) -> bool:
        """Return whether no request is in progress on the connection."""
        ...

    def refuse(self, response: bytes) -> None:
        """Write this response and close the connection."""
        ...


class ConnectionLimit:
    """The open connections of a process. Trusted proxies have no limit per address, because they carry many clients."""

    def __init__(self, max_total: int, max_per_address: int, trusted: Iterable[str] = ()) -> None:
        self._max_total, self._max_per_address = max_total, max_per_address
        self._trusted = [ip_network(network) for network in trusted]
        self._is_trusted = lru_cache(1000)(self._look_up)
        self._all, self._of_address = _Lines(), dict[str, _Lines]()

    def enter(self, line: ClientConnection) -> None:
        """Counts a new connection. At the limit, closes an idle connection first; if none is idle, refuses the new
        one."""
        address = line.address
        own = self._of_address.get(address)
        if own and len(own) >= self._max_per_address and not self._is_trusted(line.host):
            idle = own.find_idle()
            if idle is None:
                line.refuse(TOO_MANY_OF_ADDRESS)
                return
            self._close_idle(idle)
        if len(self._all) >= self._max_total:
            idle = self._all.find_idle()
            if idle is None:
                line.refuse(TOO_MANY)
                return
            self._close_idle(idle)
        self._all.add(line)
        self._of_address.setdefault(address, _Lines()).add(line)

    def note_request(self, line: ClientConnection) -> None:
        """Record that the connection has sent its first request."""
        for lines in (self._all, self._of_address.get(line.address)):
            if lines is not None:
                lines.move_to_used(line)

    def leave(self, line: ClientConnection) -> None:
        """Stop counting a closed connection; idempotent."""
        self._all.discard(line)
        own = self._of_address.get(line.address)
        if own is not None:
            own.discard(line)
            if not len(own):
                del self._of_address[line.address]

    def _close_idle(self, line: ClientConnection) -> None:
        self.leave(line)
        line.refuse(CLOSED_WHILE_SILENT)

    def _look_up(self, host: str) -> bool:
        try:
            address = ip_address(host)
        except ValueError:
            return False
        return any(address in network for network in self._trusted)


class _Lines:
    """Two lists of connections: those that have sent no request so far, and the others. Each is in the order in which
    the connections were added."""

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
        """Return the oldest connection that has sent no request so far, else one that is idle between two requests.
        Returns None if neither is found among the first MAX_LOOKS used connections. Busy connections move to the end,
        so that the next search does not check them again at once."""
        for line in self._fresh:
            return line
        for line in [line for _, line in zip(range(MAX_LOOKS), self._used, strict=False)]:
            if line.is_idle():
                return line
            del self._used[line]
            self._used[line] = None
        return None


def raw_problem(status: int, code: ProblemCode, detail: str, hint: str, *, retry_after: int | None = None) -> bytes:
    """Builds a complete HTTP response, for connections on which no request was parsed."""
    content = {
        "type": f"urn:tenuto:problem:{code}",
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
    429,
    "rate_limited",
    "your address has reached its maximum number of connections",
    "reuse open connections",
    retry_after=5,
)
TOO_MANY = raw_problem(
    503, "unavailable", "the server has reached its maximum number of connections", "try again", retry_after=1
)
CLOSED_WHILE_SILENT = raw_problem(
    503,
    "unavailable",
    "the connection was closed, because the server has reached its maximum number of connections",
    "connect again",
    retry_after=1,
)
LATE = raw_problem(408, "timeout", "the request did not arrive in time", "send it again, and faster")
NO_REQUEST = raw_problem(400, "bad_request", "this is not an HTTP request", "send HTTP/1.1")
