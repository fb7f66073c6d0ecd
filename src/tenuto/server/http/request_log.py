"""Logs requests that were refused or failed: one line per request, with a limit of lines per second.

Nothing is done for successful requests. No part of a query, a header or a body is logged.
"""

import asyncio
import logging
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from starlette.types import Scope

log = logging.getLogger("tenuto.server")

# Authenticated and unauthenticated clients have this limit each, so that lines of unauthenticated clients cannot
# displace those of authenticated ones.
MAX_LINES_PER_SECOND = 50
MAX_PATH_CHARS = 200
# Only words and ids of a path are logged, because a client may put a key of any form into a path.
SHOWN = re.compile(r"v1|[a-z_.-]{0,20}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
SECURITY_HEADERS = (
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
)


@dataclass(slots=True)
class RequestRecord:
    """The facts about one request that the log, the metrics and the middleware use; stored as
    `scope["tenuto.record"]`."""

    request_id: str
    route: str = "none"  # the pattern of the path; the paths themselves are unlimited in number
    principal: tuple[str, UUID] | None = None  # kind and id; set before the permission is checked
    authenticated: bool = False
    status: int | None = None  # None until the response has begun
    code: str | None = None  # the code of the problem in the response
    cause: Exception | None = None  # the cause of a 503 response
    internal_error: Exception | None = None
    security_headers: tuple[tuple[bytes, bytes], ...] = SECURITY_HEADERS


class RequestLog:
    """Writes the log lines of one process."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._known = LineLimiter("of authenticated clients", clock)
        self._unknown = LineLimiter("of unauthenticated clients", clock)

    def write(self, scope: Scope, record: RequestRecord, status: int) -> None:
        """Log a refused or failed request; for an internal error, with its traceback."""
        error, principal = record.internal_error, record.principal
        level = logging.ERROR if error else logging.WARNING if status >= 500 else logging.INFO
        if not log.isEnabledFor(level) or not (self._unknown if principal is None else self._known).take():
            return
        by = "by an unauthenticated client" if principal is None else f"by {principal[0]} {principal[1]}"
        line = f"{scope['method'][:20]} {_path(scope)}"
        code = record.code or ("cut_off" if record.status is None else "bad_request")
        because = f": {' '.join(str(record.cause).split())}" if record.cause else ""
        log.log(level, "%s %s %s %s, request %s%s", line, status, code, by, record.request_id, because, exc_info=error)


class LineLimiter:
    """Limits the lines per second. Counts the lines that it omits, and logs their number."""

    def __init__(self, whose: str, clock: Callable[[], float]) -> None:
        self._whose, self._clock = whose, clock
        self._ends, self._count, self._left_out = 0.0, 0, 0

    def take(self) -> bool:
        now = self._clock()
        if now >= self._ends:
            self._ends, self._count = now + 1, 0
        self._count += 1
        if self._count <= MAX_LINES_PER_SECOND:
            return True
        if self._left_out == 0:
            asyncio.get_running_loop().call_later(self._ends - now, self._report)
        self._left_out += 1
        return False

    def _report(self) -> None:
        log.warning("%d more requests %s failed within one second", self._left_out, self._whose)
        self._left_out = 0


def _path(scope: Scope) -> str:
    return "/".join(part if SHOWN.fullmatch(part) else "…" for part in scope["path"].split("/"))[:MAX_PATH_CHARS]
