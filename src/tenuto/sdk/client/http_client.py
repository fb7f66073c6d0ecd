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

PATIENCE = 30.0  # seconds to keep trying while the server is unreachable
ANSWER_WITHIN = 30.0
# A server that rejects a larger body closes the connection before reading it, and its error is lost.
MAX_BODY_BYTES = 64 * 1024 * 1024
SHORTEST, LONGEST = 0.05, 2.0  # seconds between two attempts
MAKE_KEY = "set TENUTO_API_KEY, or pass key=… (`tenuto keys create` creates one)"

log = logging.getLogger("tenuto.client")


class Http:
    """Sends requests to one server with one API key."""

    def __init__(self, url: str, key: str, *, patience: float = PATIENCE) -> None:
        self.url, self._patience = url.rstrip("/"), patience
        self._away = False  # log an outage once, not per waiting request
        self._client = httpx2.AsyncClient(
            base_url=self.url,
            headers={"Authorization": f"Bearer {key}", "User-Agent": "tenuto-python"},
            verify=not self.url.startswith("http://"),  # loading the certificates takes longer than most requests
            timeout=httpx2.Timeout(ANSWER_WITHIN, connect=10.0, pool=None),
            # Shorter than the keep-alive timeout of common servers.
            limits=httpx2.Limits(max_connections=20, keepalive_expiry=4.0),
        )

    async def ask(self, method: str, path: str, body: str | None = None, *, wait: float = 0.0, **more: Any) -> Any:
        """Return the decoded JSON response. `body` is JSON text; `wait` is added to the timeout, in seconds."""
        if body is not None:
            more["content"] = body.encode()
            more["headers"] = {"Content-Type": "application/json"}
        answer = await self.send(method, path, wait=wait, **more)
        return json.loads(answer.content) if answer.content else None

    async def send(
        self, method: str, path: str, *, wait: float = 0.0, headers: dict[str, str] | None = None, **more: Any
    ) -> httpx2.Response:
        """Return a successful response. Error responses raise the exception that the database would have raised."""
        if len(more.get("content") or b"") > MAX_BODY_BYTES:
            raise TooLarge("the request is larger than 64 MB", "split it into several requests")
        request_headers = dict(headers or {})
        if method != "GET":
            request_headers["Idempotency-Key"] = uuid4().hex
        end, pause = time.monotonic() + self._patience, SHORTEST
        while True:
            try:
                timeout = httpx2.Timeout(ANSWER_WITHIN + wait, connect=10.0, pool=None)
                answer = await self._client.request(method, path, headers=request_headers, timeout=timeout, **more)
            except httpx2.TransportError as problem:
                why: TenutoError | Unreachable = Unreachable(
                    f"{self.url} does not respond ({problem or type(problem).__name__}); start it or correct TENUTO_URL"
                )
                after = pause
            else:
                if answer.is_success:
                    self._away = False
                    return answer
                why = refusal(self.url, answer.status_code, answer.content)
                if isinstance(why, Unauthorized):  # the server's hint is about HTTP headers
                    why = Unauthorized(why.message, MAKE_KEY)
                after = _retry_after(answer, pause)
            if not isinstance(why, Unreachable | RateLimited) or time.monotonic() + after > end:
                raise why
            self._say_away(why)
            await asyncio.sleep(after * random.uniform(1.0, 1.5))  # noqa: S311 (jitter, not a secret)
            pause = min(LONGEST, pause * 2)

    def _say_away(self, why: TenutoError | Unreachable) -> None:
        if isinstance(why, Unreachable) and not self._away:
            log.warning("%s; retrying for %g s", why, self._patience)
            self._away = True

    async def close(self) -> None:
        await self._client.aclose()


def _retry_after(answer: httpx2.Response, pause: float) -> float:
    value = answer.headers.get("retry-after", "")
    return max(pause, float(value)) if value.isdecimal() else pause
