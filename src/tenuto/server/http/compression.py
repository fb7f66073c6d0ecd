"""Compresses responses of 1 kB and more with gzip for clients that accept it."""

from starlette.middleware.gzip import GZipResponder
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MIN_BYTES = 1024
VARY = (b"vary", b"Accept-Encoding")


class Compression:
    """Passes small responses through. Starlette's middleware costs 20 µs per request, mostly for responses it does not
    change."""

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
                    responder = GZipResponder(self._app, MIN_BYTES)
                    responder.send, compress = send, responder.send_with_compression
                else:
                    message["headers"] = [*message["headers"], VARY]
            await (compress or send)(message)

        await self._app(scope, receive, send_compressed)


def _is_small(start: Message) -> bool:
    return any(name == b"content-length" and int(value) < MIN_BYTES for name, value in start["headers"])
