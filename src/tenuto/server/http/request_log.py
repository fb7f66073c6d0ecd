"""Requests that were refused or failed, in the log: one line each, and so many a second at most.

Those that succeed cost nothing here. Nothing of a query, a header or a body is written.
"""

import asyncio
import logging
import re
import time
from collections.abc import Callable

from starlette.types import Scope

log = logging.getLogger("tenuto.server")

MAX_LINES_PER_SECOND = (
    50  # lines a second about those who are known, and as many about strangers, who cannot push them out
)
MAX_PATH_CHARS = 200  # characters of a path
# Words and ids are shown of a path: nobody should put a key in one, but somebody will, and it may be of any shape.
SHOWN = re.compile(r"v1|[a-z_.-]{0,20}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class RequestLog:
    """The lines of one process."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._known, self._strangers = LineLimiter("of those who are known", clock), LineLimiter("of strangers", clock)

    def write(self, scope: Scope, status: int) -> None:
        """What became of a request: refused, not possible now, or a mistake of ours with where it was made."""
        mistake, why = scope.get("tenuto.mistake"), scope.get("tenuto.why")
        level = logging.ERROR if mistake else logging.WARNING if status >= 500 else logging.INFO
        who = scope.get("tenuto.who")
        if not log.isEnabledFor(level) or not (self._strangers if who is None else self._known).take():
            return
        by = "by nobody known" if who is None else f"by {who[0]} {who[1]}"
        asked = f"{scope['method'][:20]} {_path(scope)}"
        code = scope.get("tenuto.code") or ("cut_off" if "tenuto.status" not in scope else "bad_request")
        request_id = scope["request_id"]
        because = f": {' '.join(str(why).split())}" if why else ""
        log.log(level, "%s %s %s %s, request %s%s", asked, status, code, by, request_id, because, exc_info=mistake)


class LineLimiter:
    """How many lines were written in this second; what is left out is counted, and the number said."""

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
