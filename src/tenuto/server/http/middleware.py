"""Adds the request id and security headers to every response, limits requests, records metrics, and compresses large
responses."""

import asyncio
import re
import time
from collections.abc import MutableMapping
from contextlib import suppress
from functools import lru_cache
from typing import Any
from uuid import uuid4

from starlette.middleware.gzip import GZipResponder
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tenuto.model.metrics import HTTP_REQUESTS, HTTP_SECONDS
from tenuto.server.http.problems import internal_error, problem
from tenuto.server.http.request_log import RequestRecord
from tenuto.server.state import ServerState

REQUEST_ID = re.compile(rb"[0-9A-Za-z._-]{1,128}")
MAX_REST_BYTES = 128 * 1024 * 1024  # how much of a refused body is read; a client that announces more is disconnected
MAX_STRANGE_REST_BYTES = 8 * 1024 * 1024
MAX_REST_SECONDS = 30.0
# This status is never sent. It counts clients that disconnected before their request was complete (nginx uses 499 too).
STATUS_CLIENT_CLOSED = 499
SCHEMA_CHANGED = "another version of Tenuto has migrated the database of this server; restart the server"
# A proxy in front may use the other header and see another end of the body (request smuggling).
TWO_LENGTHS = "the request has both Content-Length and Transfer-Encoding; send one of them"
MAX_REQUESTS = 2000
MAX_WORKER_REQUESTS = 1900  # requests of workers and tasks are accepted while fewer than this are in progress
MAX_OTHER_REQUESTS = 1600
HEALTH = ("/healthz", "/readyz")
OF_WORKERS = ("/internal/", "/v1/task/")
MIN_COMPRESSED_BYTES = 1024
VARY = (b"vary", b"Accept-Encoding")


class RequestMiddleware:
    """The outermost middleware. The request id is the client's `X-Request-Id` if it is well-formed, else a new one."""

    state: ServerState

    def __init__(self, app: ASGIApp, lifespan: ASGIApp) -> None:
        self._app, self._lifespan = app, lifespan

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["app"] = self
        if scope["type"] != "http":
            await (self._lifespan if scope["type"] == "lifespan" else self._app)(scope, receive, send)
            return
        record = scope["tenuto.record"] = RequestRecord(_request_id(scope))
        began = time.perf_counter()
        unread = _unread(scope, receive)

        async def send_enveloped(message: Message) -> None:
            ends = unread is not None and unread.more and message["type"] == "http.response.body"
            if unread is not None and ends and not message.get("more_body", False):
                # Send the whole response before draining the rest of the body.
                await send({**message, "more_body": True})
                await unread.drain(known=record.authenticated)
                message = {"type": "http.response.body"}
            if message["type"] == "http.response.start":
                record.status = message["status"]
                own = (b"x-request-id", record.request_id.encode())
                message["headers"] = [*message["headers"], *record.security_headers, own]
                if unread is not None and unread.more:
                    message["headers"].append((b"connection", b"close"))
            await send(message)

        server = self.state
        app = server.request_limit.enter(scope, record) or self._app
        if server.schema_changed.is_set() and scope["path"] != "/healthz":
            app = problem(record, 503, "unavailable", SCHEMA_CHANGED)
        if unread is not None and {b"transfer-encoding", b"content-length"} <= {name for name, _ in scope["headers"]}:
            app = problem(record, 400, "bad_request", TWO_LENGTHS)
        try:
            await app(scope, unread or receive, send_enveloped)
        except ClientDisconnect:
            record.status = record.status or STATUS_CLIENT_CLOSED
        except Exception as error:
            if record.status is not None:
                raise  # the response has begun: it can only be cut off
            await internal_error(record, error)(scope, receive, send_enveloped)
        finally:
            server.request_limit.leave()
            status = record.status or 500
            if status >= 400 and status != STATUS_CLIENT_CLOSED:
                server.request_log.write(scope, record, status)
            _measure(scope["method"], record.route, status, time.perf_counter() - began)


class BodyTracker:
    """Tracks whether a request's body is fully received. The rest of a refused body is read and discarded, up to a
    limit, because most clients read the response only after they have sent the whole body. Then the connection is
    closed."""

    def __init__(self, receive: Receive, announced: int | None) -> None:
        self._receive, self._announced = receive, announced
        self.more = True

    async def __call__(self) -> Message:
        message = await self._receive()
        self.more = message.get("more_body", False)
        return message

    async def drain(self, *, known: bool) -> None:
        """Read and discard the rest of the body; the limit is lower for unauthenticated clients and for bodies without
        a Content-Length."""
        left = MAX_REST_BYTES if known and self._announced is not None else MAX_STRANGE_REST_BYTES
        if (self._announced or 0) > MAX_REST_BYTES:
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(MAX_REST_SECONDS):
                while self.more and left > 0:
                    left -= len((await self()).get("body", b""))


def _unread(scope: Scope, receive: Receive) -> BodyTracker | None:
    """Returns a tracker for a body of 100 kB or more, or of unknown length; else None."""
    for name, value in scope["headers"]:
        if name == b"transfer-encoding":
            return BodyTracker(receive, None)
        if name == b"content-length" and len(value) > 5:
            return BodyTracker(receive, int(value) if value.isdigit() else None)
    return None


def _request_id(scope: MutableMapping[str, Any]) -> str:
    given = next((value for name, value in scope["headers"] if name == b"x-request-id"), b"")
    return given.decode() if REQUEST_ID.fullmatch(given) else uuid4().hex


@lru_cache(1000)
def _meters(method: str, route: str, status: int) -> tuple[Any, Any]:
    """Returns the counter and the histogram of a request. Cached, because the lookup costs as much as the counting."""
    return HTTP_REQUESTS.labels(method, route, str(status)), HTTP_SECONDS.labels(route)


def _measure(method: str, route: str, status: int, seconds: float) -> None:
    requests, took = _meters(method if route != "none" else "any", route, status)
    requests.inc()
    took.observe(seconds)


class RequestLimit:
    """Limits the number of requests in progress. Long polls count too, and have lower limits of their own."""

    def __init__(self, max_requests: int = MAX_REQUESTS) -> None:
        self._taken = 0
        self._workers = max_requests * MAX_WORKER_REQUESTS // MAX_REQUESTS
        self._others = max_requests * MAX_OTHER_REQUESTS // MAX_REQUESTS

    def enter(self, scope: Scope, record: RequestRecord) -> Response | None:
        """Counts a request. Returns a 503 response if there are too many, else None. The caller must call `leave` in
        both cases."""
        self._taken += 1
        if self._taken <= self._others or (path := scope["path"]) in HEALTH:
            return None
        if self._taken <= (self._workers if path.startswith(OF_WORKERS) else self._others):
            return None
        detail = f"the server handles {self._taken - 1} requests now and accepts no more"
        return problem(record, 503, "unavailable", detail, hint="try again", headers={"Retry-After": "1"})

    def leave(self) -> None:
        self._taken -= 1


class Compression:
    """Compresses large responses with Starlette's responder. Small responses bypass it: Starlette's middleware costs 20
    µs per request, mostly for responses that it does not change."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        compress: Send | None = None

        async def send_compressed(message: Message) -> None:
            nonlocal compress
            if message["type"] == "http.response.start" and not _is_small(message):
                if any(name == b"accept-encoding" and b"gzip" in value for name, value in scope["headers"]):
                    responder = GZipResponder(self._app, MIN_COMPRESSED_BYTES)
                    responder.send, compress = send, responder.send_with_compression
                else:
                    message["headers"] = [*message["headers"], VARY]
            await (compress or send)(message)

        await self._app(scope, receive, send_compressed)


def _is_small(start: Message) -> bool:
    return any(name == b"content-length" and int(value) < MIN_COMPRESSED_BYTES for name, value in start["headers"])
