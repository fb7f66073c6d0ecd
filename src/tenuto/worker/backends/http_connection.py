"""HTTP connections to a server: its address, the worker key, an optional proxy, and detection of outages."""

import json
import ssl
from base64 import b64encode
from dataclasses import dataclass, field
from functools import cached_property
from http.client import HTTPConnection, HTTPSConnection
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import SplitResult, unquote, urlsplit

from tenuto.db.connection.availability import Availability, availability_of
from tenuto.db.connection.errors import Away, RowRejected, Unreachable
from tenuto.model.errors import Forbidden, RateLimited, TenutoError, Unauthorized, message_of
from tenuto.sdk.client.http_errors import refusal

if TYPE_CHECKING:
    import httpx2

RESPONSE_TIMEOUT_SECONDS = 30.0
CONNECT_TIMEOUT_SECONDS = 10.0
MAX_BATCH = 500  # items per request
MAX_IDLE_SECONDS = 4.0  # shorter than the keep-alive timeout of servers and proxies

AWAY = (502, 503, 504)  # a server without its database, or a proxy without its server
TEMPORARY_REFUSALS = (
    Unauthorized,
    Forbidden,
    RateLimited,
)  # an admin can fix these, so a worker whose key was accepted before waits


T = TypeVar("T")


def batches(items: list[T]) -> list[list[T]]:
    """Split items into lists that fit into one request."""
    return [items[start : start + MAX_BATCH] for start in range(0, len(items), MAX_BATCH)]


@dataclass(frozen=True)
class ServerAddress:
    """The address of a server, the worker key and the proxy, if any."""

    url: str
    key: str = field(repr=False)
    proxy: str | None = field(default=None, repr=False)

    @cached_property
    def address(self) -> SplitResult:
        return urlsplit(self.url.rstrip("/"))

    @cached_property
    def tls(self) -> ssl.SSLContext:
        return ssl.create_default_context()

    @property
    def headers(self) -> dict[str, str]:
        # Compressing a batch takes longer than sending it.
        return {"Authorization": f"Bearer {self.key}", "Accept-Encoding": "identity", "User-Agent": "tenuto-worker"}

    def refusal(self, status: int, body: bytes) -> TenutoError | Unreachable | RowRejected:
        """Return the error for a response to a worker that was accepted before. A refusal that an admin can fix becomes
        Unreachable, so that the worker retries."""
        error = refusal(self.url, status, body)
        return Unreachable(f"{self.url}: {error.message}") if isinstance(error, TEMPORARY_REFUSALS) else error

    @cached_property
    def availability(self) -> Availability:
        return availability_of(self.url)

    def check_away(self, status: int, body: bytes) -> None:
        """Raise Away if the status means that the server is unavailable. After that, only one caller per process sends
        requests until the server is back. The timeout of a single request does not count as unavailable."""
        if status in AWAY and b'"timeout"' not in body:
            reason = str(refusal(self.url, status, body))
            self.availability.failed(reason)
            raise Away(reason)
        if self.availability.problem is not None:
            self.availability.succeeded()

    def read(self, content: bytes) -> Any:
        """Return the JSON of a response; None if the response is empty. Raises Unreachable if it is not JSON."""
        try:
            return json.loads(content) if content else None
        except ValueError as problem:
            raise Unreachable(
                f"{self.url} does not respond with JSON; check that the URL leads to a Tenuto server"
            ) from problem

    def connect(self) -> HTTPConnection:
        """Return a connection for one thread. The first request opens it."""
        there, way = self.address, urlsplit(self.proxy) if self.proxy else None
        secure = there.scheme == "https"
        host, port = there.hostname or "", there.port or (443 if secure else 80)
        first = (way.hostname or "", way.port or 80) if way else (host, port)
        if not secure:
            return HTTPConnection(*first, timeout=RESPONSE_TIMEOUT_SECONDS)
        line = HTTPSConnection(*first, timeout=RESPONSE_TIMEOUT_SECONDS, context=self.tls)
        if way:
            line.set_tunnel(host, port, self.login_at_proxy)
        return line

    @property
    def login_at_proxy(self) -> dict[str, str]:
        way = urlsplit(self.proxy or "")
        if way.username is None:
            return {}
        login = f"{unquote(way.username)}:{unquote(way.password or '')}"
        return {"Proxy-Authorization": "Basic " + b64encode(login.encode()).decode()}

    def target(self, path: str) -> str:
        """Return the target of the request line: the full URL if a proxy reads the request, otherwise only the path."""
        there = self.address
        whole = self.proxy is not None and there.scheme == "http"
        return f"{there.scheme}://{there.netloc}{there.path}{path}" if whole else there.path + path


class HttpClient:
    """Sends requests from the event loop over a few persistent connections."""

    def __init__(self, site: ServerAddress) -> None:
        import httpx2  # import takes 30 ms; workers with a database do not need it

        self.site, self._broke = site, httpx2.TransportError
        self._refused = (httpx2.ConnectError, httpx2.ConnectTimeout)
        self._timeout = httpx2.Timeout(RESPONSE_TIMEOUT_SECONDS, connect=CONNECT_TIMEOUT_SECONDS)
        self._client = httpx2.AsyncClient(
            base_url=site.url.rstrip("/"),
            headers=site.headers,
            proxy=site.proxy,
            verify=site.tls if site.address.scheme == "https" else False,
            limits=httpx2.Limits(max_connections=20, keepalive_expiry=MAX_IDLE_SECONDS),
            trust_env=False,
        )

    async def request(
        self,
        method: str,
        path: str,
        body: dict[str, Any],
        *,
        timeout: float = RESPONSE_TIMEOUT_SECONDS,
        accepted_before: bool = True,
    ) -> Any:
        """Return the decoded JSON response; None if it is empty."""
        content = json.dumps(body).encode()
        return self.site.read(
            await self.send(method, path, content=content, timeout=timeout, accepted_before=accepted_before)
        )

    async def send(
        self,
        method: str,
        path: str,
        *,
        params: dict[str, Any] | None = None,
        content: bytes | None = None,
        timeout: float | None = None,
        token: str | None = None,
        accepted_before: bool = True,
        cut: TenutoError | None = None,
    ) -> bytes:
        """Return the response body. `token` authenticates an attempt instead of the worker. `accepted_before`: the
        server has accepted this worker before, so a refusal is temporary. `cut`: the error to raise for a response that
        breaks off, if repeating the request would not help."""
        headers = {"Content-Type": "application/json"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        availability = self.site.availability
        await availability.wait_async()
        try:
            request = self._client.build_request(
                method,
                path,
                headers=headers,
                params=params,
                content=content,
                timeout=self._timeout if timeout is None else timeout,
            )
            answer = await self._exchange(request, cut)
        except self._refused as problem:
            reason = f"{self.site.url} is unreachable: {message_of(problem)}"
            availability.failed(reason)
            raise Away(reason) from problem
        except self._broke as problem:
            raise Unreachable(f"{self.site.url} is unreachable: {message_of(problem)}") from problem
        self.site.check_away(answer.status_code, answer.content)
        if answer.is_success:
            return answer.content
        problem = refusal(self.site.url, answer.status_code, answer.content)
        if isinstance(problem, RateLimited if token else TEMPORARY_REFUSALS) and accepted_before:
            problem = Unreachable(f"{self.site.url}: {problem.message}")
        raise problem

    async def _exchange(self, request: "httpx2.Request", cut: TenutoError | None) -> "httpx2.Response":
        if cut is None:
            return await self._client.send(request)
        answer = await self._client.send(request, stream=True)
        try:
            await answer.aread()
        except self._broke as problem:
            raise cut from problem
        finally:
            await answer.aclose()
        return answer

    async def close(self) -> None:
        await self._client.aclose()
