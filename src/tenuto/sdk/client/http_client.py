"""HTTP client with retries: repeats a request while the server restarts or limits the rate, with an idempotency key so
that nothing runs twice."""

import asyncio
import json
import logging
import random
import time
from typing import Any
from uuid import uuid4

import httpx2

from tenuto.db.connection.errors import Unreachable
from tenuto.model.errors import RateLimited, TenutoError, TooLarge, Unauthorized
from tenuto.sdk.client.http_errors import refusal

RETRY_SECONDS = 30.0  # how long to retry while the server is unreachable
RESPONSE_SECONDS = 30.0
# A server that rejects a larger body closes the connection before reading it, and its error is lost.
MAX_BODY_BYTES = 64 * 1024 * 1024
MIN_PAUSE_SECONDS, MAX_PAUSE_SECONDS = 0.05, 2.0  # between two attempts
MAKE_KEY = "set TENUTO_API_KEY, or pass key=… (`tenuto keys create` creates one)"

log = logging.getLogger("tenuto.client")


class Http:
    """Sends requests to one server with one API key."""

    def __init__(self, url: str, key: str, *, retry_seconds: float = RETRY_SECONDS) -> None:
        self.url, self._retry_seconds = url.rstrip("/"), retry_seconds
        self._away = False  # log an outage once, not per waiting request
        self._client = httpx2.AsyncClient(
            base_url=self.url,
            headers={"Authorization": f"Bearer {key}", "User-Agent": "tenuto-python"},
            verify=not self.url.startswith("http://"),  # loading the certificates takes longer than most requests
            timeout=httpx2.Timeout(RESPONSE_SECONDS, connect=10.0, pool=None),
            # Shorter than the keep-alive timeout of common servers.
            limits=httpx2.Limits(max_connections=20, keepalive_expiry=4.0),
        )

    async def ask(self, method: str, path: str, body: str | None = None, *, wait: float = 0.0, **more: Any) -> Any:
        """Return the decoded JSON response. `body` is JSON text; `wait` is added to the timeout, in seconds."""
        if body is not None:
            more["content"] = body.encode()
            more["headers"] = {"Content-Type": "application/json"}
        response = await self.send(method, path, wait=wait, **more)
        return json.loads(response.content) if response.content else None

    async def send(
        self, method: str, path: str, *, wait: float = 0.0, headers: dict[str, str] | None = None, **more: Any
    ) -> httpx2.Response:
        """Return a successful response. Error responses raise the exception that the database would have raised."""
        if len(more.get("content") or b"") > MAX_BODY_BYTES:
            raise TooLarge("the request is larger than 64 MB", "split it into several requests")
        request_headers = dict(headers or {})
        if method != "GET":
            request_headers["Idempotency-Key"] = uuid4().hex
        end, pause = time.monotonic() + self._retry_seconds, MIN_PAUSE_SECONDS
        while True:
            try:
                timeout = httpx2.Timeout(RESPONSE_SECONDS + wait, connect=10.0, pool=None)
                response = await self._client.request(method, path, headers=request_headers, timeout=timeout, **more)
            except httpx2.TransportError as problem:
                why: TenutoError | Unreachable = Unreachable(
                    f"{self.url} does not respond ({problem or type(problem).__name__}); start it or correct TENUTO_URL"
                )
                after = pause
            else:
                if response.is_success:
                    self._away = False
                    return response
                why = refusal(self.url, response.status_code, response.content)
                if isinstance(why, Unauthorized):  # the server's hint is about HTTP headers
                    why = Unauthorized(why.message, MAKE_KEY)
                after = _retry_after(response, pause)
            if not isinstance(why, Unreachable | RateLimited) or time.monotonic() + after > end:
                raise why
            self._log_outage(why)
            await asyncio.sleep(after * random.uniform(1.0, 1.5))  # noqa: S311 (jitter, not a secret)
            pause = min(MAX_PAUSE_SECONDS, pause * 2)

    def _log_outage(self, why: TenutoError | Unreachable) -> None:
        if isinstance(why, Unreachable) and not self._away:
            log.warning("%s; retrying for %g s", why, self._retry_seconds)
            self._away = True

    async def close(self) -> None:
        await self._client.aclose()


def _retry_after(response: httpx2.Response, pause: float) -> float:
    value = response.headers.get("retry-after", "")
    return max(pause, float(value)) if value.isdecimal() else pause
