"""Responds to queries of clients. Limits how many queries of an org wait, and ends a query when its client
disconnects."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from uuid import UUID

from starlette.requests import ClientDisconnect
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from tenuto.db import rate_limits
from tenuto.db.connection.pool import call_for
from tenuto.model.errors import TooLarge
from tenuto.model.queries import MEDIA_TYPES, VERSIONS_HEADER
from tenuto.query.service import Catalog, QueryInput, RunningQuery, json_head
from tenuto.server.http.request import HttpRequest
from tenuto.server.http.route_table import BINARY
from tenuto.server.limits.rate_limits import TooManyRequests
from tenuto.server.settings import RateLimit

MAX_WHOLE_BYTES = 8 << 20
ARROW = {200: {"content": {MEDIA_TYPES["arrow"]: {"schema": BINARY}}}}

log = logging.getLogger("tenuto.server")


class Csv(Response):
    """The media type of exports, unless they are Arrow streams."""

    media_type = MEDIA_TYPES["csv"]


class StreamedResult(StreamingResponse):
    """A result that is sent while the query runs. The query ends when the response ends, even if it ends with an error.
    A client that takes longer than `seconds` to receive the response is disconnected."""

    def __init__(self, running: RunningQuery, format: str, held: AsyncExitStack, seconds: float) -> None:
        super().__init__(_blocks(running, format), 200, _headers(running), MEDIA_TYPES[format])
        self._held, self._seconds = held, seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            async with asyncio.timeout(self._seconds):
                await super().__call__(scope, receive, send)
        except TimeoutError:
            log.warning("a client did not receive the result of its query within %g s", self._seconds)
            raise ClientDisconnect from None
        finally:
            await self._held.aclose()


async def respond(http: HttpRequest, query: QueryInput, catalog: Catalog, *, org_id: UUID, caller: str) -> Response:
    """Runs a query and returns its response as soon as the first part of the result is available."""
    server = http.server
    await _take_tokens(http, org_id, caller)
    server.query_waiters.check(org_id)
    async with AsyncExitStack() as stack:
        stack.enter_context(server.query_waiters.take(org_id))
        opening = asyncio.create_task(stack.enter_async_context(server.query_service.open(query, catalog, org_id)))
        gone = asyncio.create_task(http.until_disconnected())
        try:
            await asyncio.wait({opening, gone}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            gone.cancel()
            if not opening.done():
                opening.cancel()
            await asyncio.gather(opening, gone, return_exceptions=True)
        if opening.cancelled():
            raise ClientDisconnect
        running = opening.result()
        if http.scope["http_version"] == "1.0":
            return await _whole_result(running, query.format)
        seconds = server.query_service.limits.send_seconds
        return StreamedResult(running, query.format, stack.pop_all(), seconds)


async def _whole_result(running: RunningQuery, format: str) -> Response:
    """Returns a response with a Content-Length, for HTTP/1.0. There a response without a length ends when the
    connection closes, so a truncated response would look complete."""
    content = bytearray()
    async for block in _blocks(running, format):
        content += block
        if len(content) > MAX_WHOLE_BYTES:
            raise TooLarge(
                "the result has more than 8 MB, the maximum for clients of HTTP/1.0", "use HTTP/1.1, or select less"
            )
    return Response(bytes(content), 200, _headers(running), MEDIA_TYPES[format])


async def _take_tokens(http: HttpRequest, org_id: UUID, caller: str) -> None:
    """Takes the tokens for a query; raises TooManyRequests if there are none. Queries have a rate limit of their own,
    because one query costs as much as a thousand other requests."""
    settings = http.server.settings
    limits: list[RateLimit] = [settings.query_limit, settings.org_query_limit]
    taken = await call_for(
        http.server.pool,
        org_id,
        rate_limits.take_tokens,
        timeout=settings.statement_seconds,
        buckets=[f"query:{caller}", "query"],
        rates=[float(limit.rate) for limit in limits],
        bursts=[float(limit.burst) for limit in limits],
    )
    if not taken.allowed:
        raise TooManyRequests(f"{caller} or its org", taken.retry_after)


def _headers(running: RunningQuery) -> dict[str, str]:
    versions = json.dumps([version.to_json() for version in running.versions])
    return {VERSIONS_HEADER: versions, "Cache-Control": "no-store"}


async def _blocks(running: RunningQuery, format: str) -> AsyncIterator[bytes]:
    if format == "json":
        yield json_head(running.versions)
    async for block in running.blocks:
        yield block
