"""Long polls of workers that connect by HTTP. The response comes when there may be work or an attempt was cancelled. A
long poll claims nothing."""

import asyncio
from typing import Annotated

from pydantic import Field

from tenuto.server.http.route_table import WORKER, RouteTable
from tenuto.server.requests.worker import WorkerRequest
from tenuto.server.schemas.base import Name, RequestModel, ResponseModel

ROUTES = RouteTable("worker API")


class WaitForWorkRequest(RequestModel):
    """`queues`: the queues to wait for; if omitted, all queues of the worker key. `wait`: the maximum number of seconds
    to wait. `cursor`: the `cursor` of the last response."""

    wait: Annotated[float, Field(ge=0, le=20)]
    queues: Annotated[list[Name], Field(min_length=1, max_length=1000)] | None = None
    cursor: Annotated[str, Field(max_length=64)] | None = None


class WaitForWorkResponse(ResponseModel):
    """Whether to claim now, whether to send a heartbeat now, and the `cursor` to pass to the next wait."""

    work_available: bool
    heartbeat_now: bool
    cursor: str


@ROUTES.add("POST", "/internal/wait", permission=WORKER, response=WaitForWorkResponse)
async def wait_for_work(request: WorkerRequest, body: WaitForWorkRequest) -> object:
    """Wait until there may be work. A response is only a hint: other workers may claim the work first. Without a
    cursor, or with a cursor that is too old or of another server process, the response comes at once."""
    wakes = request.http.server.wakeups
    own = None if "*" in request.principal.queues else frozenset(request.principal.queues)
    asked = None if body.queues is None else frozenset(body.queues)
    seats = request.http.server.worker_waiters
    seats.check(request.principal.org_id)
    with seats.take(request.principal.org_id), wakes.watch() as watch:
        watch.queues = asked & own if asked is not None and own is not None else asked or own
        wakes.catch_up(watch, body.cursor)
        gone = asyncio.create_task(request.http.until_disconnected())
        news = asyncio.create_task(watch.news())
        try:
            await asyncio.wait({news, gone}, timeout=body.wait, return_when=asyncio.FIRST_COMPLETED)
        finally:
            gone.cancel()
            news.cancel()
    return {"work_available": watch.woken, "heartbeat_now": watch.cancelled, "cursor": wakes.cursor}
