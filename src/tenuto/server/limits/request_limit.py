"""Limits the requests in progress per process. Workers and health checks are still accepted when other requests are
not."""

from starlette.responses import Response
from starlette.types import Scope

from tenuto.server.http.problems import problem

MAX_REQUESTS = 2000
MAX_WORKER_REQUESTS = 1900  # accepts a worker's or task's request while fewer than this many are in progress
MAX_OTHER_REQUESTS = 1600
HEALTH = ("/healthz", "/readyz")
OF_WORKERS = ("/internal/", "/v1/task/")


class RequestLimit:
    """Counts requests in progress. Includes long polls, which have lower limits of their own."""

    def __init__(self, max_requests: int = MAX_REQUESTS) -> None:
        self._taken = 0
        self._workers = max_requests * MAX_WORKER_REQUESTS // MAX_REQUESTS
        self._others = max_requests * MAX_OTHER_REQUESTS // MAX_REQUESTS

    def enter(self, scope: Scope) -> Response | None:
        """Count a request; returns a 503 response if there are too many. The caller calls `leave` in either case."""
        self._taken += 1
        if self._taken <= self._others or (path := scope["path"]) in HEALTH:
            return None
        if self._taken <= (self._workers if path.startswith(OF_WORKERS) else self._others):
            return None
        detail = f"the server handles {self._taken - 1} requests now and accepts no more"
        return problem(
            scope["tenuto.record"], 503, "unavailable", detail, hint="try again", headers={"Retry-After": "1"}
        )

    def leave(self) -> None:
        self._taken -= 1
