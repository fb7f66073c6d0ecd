"""Sends HTTP requests, and repeats them while the server is unreachable or limits the rate. Because of an idempotency
key, a repeated request has its effect only once."""

import asyncio
import json
import logging
import time
from collections.abc import Mapping
from typing import Any
from uuid import uuid4

import httpx2

from tenuto.db.connection.errors import AWAY_SECONDS, Unreachable, check_loop_ended
from tenuto.db.connection.forks import abandon, renew_after_fork
from tenuto.model.backoff import Backoff, jitter
from tenuto.model.errors import RateLimited, TenutoError, TooLarge, Unauthorized, message_of
from tenuto.sdk.client.http_errors import refusal

RETRY_SECONDS = 30.0  # how long to retry while the server limits the rate
RESPONSE_SECONDS = 30.0
MAX_CONNECTIONS = 20
QUEUE_SECONDS = 300.0  # how long a request waits for a free connection: with thousands of requests, most wait
# Larger bodies are refused here: a server would close the connection before it has read them, and its error message
# would be lost.
MAX_BODY_BYTES = 64 * 1024 * 1024
MAX_PAUSE_SECONDS = 2.0  # between two attempts
MAKE_KEY = "set TENUTO_API_KEY, or pass key=… in Python (`tenuto keys create` creates one)"

log = logging.getLogger("tenuto.client")


class Http:
    """Sends requests to one server with one API key."""

    def __init__(self, url: str, key: str, *, retry_seconds: float = RETRY_SECONDS) -> None:
        self.url, self._retry_seconds = url.rstrip("/"), retry_seconds
        self.problem: str | None = None  # why the server is unavailable; None: the last response was a success
        self._headers = {"Authorization": f"Bearer {key}", "User-Agent": "tenuto-python"}
        self._closed = False
        self._start_over()
        renew_after_fork(self)

    def renew(self) -> None:
        """Drop the connections without closing them, because they belong to the parent process. The next request
        connects again. Called in a forked child."""
        abandon(self._client)
        self._start_over()

    def _start_over(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None  # the event loop that the connections belong to
        self._client = httpx2.AsyncClient(
            base_url=self.url,
            headers=self._headers,
            # Without TLS, do not load certificates: loading them takes longer than most requests.
            verify=not self.url.startswith("http://"),
            timeout=httpx2.Timeout(RESPONSE_SECONDS, connect=10.0, pool=QUEUE_SECONDS),
            # Shorter than the keep-alive timeout of common servers, so that no request uses a connection that the
            # server is closing.
            limits=httpx2.Limits(max_connections=MAX_CONNECTIONS, keepalive_expiry=4.0),
        )

    def _use_in(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._closed:
            raise Unreachable("the client is closed; open a new one")
        if self._loop is not None:
            check_loop_ended(self._loop)
            self._start_over()
        self._loop = loop

    async def request(
        self,
        method: str,
        path: str,
        body: str | None = None,
        *,
        wait: float = 0.0,
        params: Mapping[str, Any] | None = None,
    ) -> Any:
        """Return the decoded JSON response, or None if it is empty. `body` is JSON text. `wait` is a number of seconds
        that is added to the timeout."""
        content, headers = (None, None) if body is None else (body.encode(), {"Content-Type": "application/json"})
        response = await self.send(method, path, content, wait=wait, params=params, headers=headers)
        return json.loads(response.content) if response.content else None

    async def send(
        self,
        method: str,
        path: str,
        content: bytes | None = None,
        *,
        wait: float = 0.0,
        params: Mapping[str, Any] | None = None,
        headers: dict[str, str] | None = None,
        cut: TenutoError | None = None,
    ) -> httpx2.Response:
        """Return a successful response. Error responses raise the exception that the database would have raised. If the
        connection breaks after a response has begun, `cut` is raised; without `cut`, the request is repeated."""
        if len(content or b"") > MAX_BODY_BYTES:
            raise TooLarge("the request is larger than 64 MB", "split it into several requests")
        if (loop := asyncio.get_running_loop()) is not self._loop:
            self._use_in(loop)
        request_headers = dict(headers or {})
        if method != "GET":
            request_headers["Idempotency-Key"] = uuid4().hex
        began, backoff = time.monotonic(), Backoff(MAX_PAUSE_SECONDS)
        while True:
            try:
                timeout = httpx2.Timeout(RESPONSE_SECONDS + wait, connect=10.0, pool=QUEUE_SECONDS)
                request = self._client.build_request(
                    method, path, content=content, params=params, headers=request_headers, timeout=timeout
                )
                response = await self._exchange(request, cut)
            except httpx2.PoolTimeout as problem:
                raise Unreachable(
                    f"waited {QUEUE_SECONDS:.15g} s for one of {MAX_CONNECTIONS} connections to {self.url}: "
                    "all are in use; send fewer requests at the same time"
                ) from problem
            except httpx2.TransportError as problem:
                why: Exception = Unreachable(
                    f"{self.url} does not respond ({message_of(problem)}); start it or correct TENUTO_URL"
                )
                after = backoff.after(why)
            else:
                if response.is_success:
                    self.problem = None
                    return response
                why = refusal(self.url, response.status_code, response.content)
                if isinstance(why, Unauthorized):  # replaces the hint of the server, which is about HTTP headers
                    why = Unauthorized(why.message, MAKE_KEY)
                after = max(backoff.after(why), _retry_after(response))
            if not isinstance(why, Unreachable | RateLimited):
                raise why
            seconds = self._retry_seconds
            if isinstance(why, Unreachable):
                seconds = min(seconds, AWAY_SECONDS)
                self._note_outage(str(why))
            if time.monotonic() + after > began + seconds:
                raise why
            await asyncio.sleep(after)

    async def _exchange(self, request: httpx2.Request, cut: TenutoError | None) -> httpx2.Response:
        response = await self._client.send(request, stream=True)
        try:
            await response.aread()
        except httpx2.TransportError as problem:
            if cut is None:
                raise
            raise cut from problem
        finally:
            await response.aclose()
        return response

    def _note_outage(self, why: str) -> None:
        if self.problem is None:  # log an outage once, not per waiting request
            log.warning("%s; retrying for %g s", why, min(self._retry_seconds, AWAY_SECONDS))
        self.problem = why

    async def close(self) -> None:
        loop, self._loop, self._closed = self._loop, None, True
        if loop is asyncio.get_running_loop():
            await self._client.aclose()


def _retry_after(response: httpx2.Response) -> float:
    value = response.headers.get("retry-after", "")
    return jitter(1.25 * float(value), 0.2) if value.isdecimal() else 0.0  # never earlier than the server requires
