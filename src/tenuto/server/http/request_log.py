"""Logs requests that were refused or failed: one line each, with a limit per second.

Successful requests cost nothing here. No part of a query, a header or a body is logged.
"""

import asyncio
import logging
import re
import time
from collections.abc import Callable

from starlette.types import Scope

log = logging.getLogger("tenuto.server")

# For authenticated callers, and as many for unauthenticated clients, which therefore cannot displace them.
MAX_LINES_PER_SECOND = 50
MAX_PATH_CHARS = 200
# Only words and ids of a path are logged, because a client may put a key of any form into a path.
SHOWN = re.compile(r"v1|[a-z_.-]{0,20}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class RequestLog:
    """Writes the log lines of one process."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._known = LineLimiter("of authenticated clients", clock)
        self._unknown = LineLimiter("of unauthenticated clients", clock)

    def write(self, scope: Scope, status: int) -> None:
        """Log a refused or failed request; for an internal error, with its traceback."""
        mistake, why = scope.get("tenuto.mistake"), scope.get("tenuto.why")
        level = logging.ERROR if mistake else logging.WARNING if status >= 500 else logging.INFO
        who = scope.get("tenuto.who")
        if not log.isEnabledFor(level) or not (self._unknown if who is None else self._known).take():
            return
        by = "by nobody known" if who is None else f"by {who[0]} {who[1]}"
        line = f"{scope['method'][:20]} {_path(scope)}"
        code = scope.get("tenuto.code") or ("cut_off" if "tenuto.status" not in scope else "bad_request")
        request_id = scope["request_id"]
        because = f": {' '.join(str(why).split())}" if why else ""
        log.log(level, "%s %s %s %s, request %s%s", line, status, code, by, request_id, because, exc_info=mistake)


class LineLimiter:
    """Limits lines per second; counts those left out and logs their number."""

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
            asyncio.get_running_loop().call_later(self._ends - now, self._say)
        self._left_out += 1
        return False

    def _say(self) -> None:
        log.warning("%d more requests %s were refused or failed within a second", self._left_out, self._whose)
        self._left_out = 0


def _path(scope: Scope) -> str:
    return "/".join(part if SHOWN.fullmatch(part) else "…" for part in scope["path"].split("/"))[:MAX_PATH_CHARS]
