"""The client of most HTTP tests: the application in the test's process, one change of threads per request."""

import asyncio
from collections.abc import MutableMapping
from contextlib import ExitStack, suppress
from typing import Any, Self
from urllib.parse import unquote

import httpx2
from anyio.from_thread import BlockingPortal
from starlette.testclient import TestClient

from tenuto.server.app import TenutoApp

Message = MutableMapping[str, Any]


class ApiClient(TestClient):
    """Starlette's client has a thread and an event loop of its own, and changes threads eight times per request, which
    costs more than most requests. This one takes whole responses; a test of a stream uses `serving`."""

    def __init__(self, app: TenutoApp, portal: BlockingPortal) -> None:
        super().__init__(app, raise_server_exceptions=False)
        self._transport = _WholeResponses(self)
        self._shared_portal = portal
        self._lifespan = app.lifespan

    def __enter__(self) -> Self:
        self.portal = self._shared_portal
        with ExitStack() as stack:
            self.app_state.update(stack.enter_context(self.portal.wrap_async_context_manager(self._lifespan())))
            self.exit_stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self.exit_stack.close()
        self.portal = None


class _WholeResponses(httpx2.BaseTransport):
    def __init__(self, client: ApiClient) -> None:
        self._client = client

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        portal = self._client.portal
        assert portal is not None, "the client is used in its `with` block, where the application runs"
        request.read()
        status, headers, body = portal.call(self._answer, request)
        return httpx2.Response(status, headers=headers, content=body, request=request)

    async def _answer(self, request: httpx2.Request) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
        status: int = 500
        headers: list[tuple[bytes, bytes]] = []
        parts: list[bytes] = []
        ended = asyncio.Event()
        unread = [request.content]

        async def receive() -> Message:
            if unread:
                return {"type": "http.request", "body": unread.pop()}
            await ended.wait()
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            nonlocal status, headers
            if message["type"] == "http.response.start":
                status, headers = message["status"], list(message["headers"])
                return
            parts.append(bytes(message["body"]))
            if not message.get("more_body"):
                ended.set()

        with suppress(Exception):  # the application has logged it, and has answered if it could
            await self._client.app(self._scope(request), receive, send)
        return status, headers, b"" if request.method == "HEAD" else b"".join(parts)

    def _scope(self, request: httpx2.Request) -> dict[str, Any]:
        url = request.url
        return {
            "type": "http",
            "http_version": "1.1",
            "method": request.method,
            "path": unquote(url.path),
            "raw_path": url.raw_path.split(b"?", 1)[0],
            "root_path": "",
            "scheme": url.scheme,
            "query_string": url.query,
            "headers": [(name.lower(), value) for name, value in request.headers.raw],
            "client": ("testclient", 50000),
            "server": (url.host, url.port or 80),
            "state": self._client.app_state.copy(),
        }
