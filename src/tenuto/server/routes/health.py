"""For those who watch the server: alive, ready, measured; and what it can do."""

import asyncio
from typing import Any

from fastapi import Request, Response
from prometheus_client import generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from tenuto.db import maintenance
from tenuto.model.metrics import HTTP_REGISTRY
from tenuto.server.http.routing import PUBLIC, RouteTable
from tenuto.server.requests.api import AtDesk
from tenuto.server.schemas.base import ResponseModel

ROUTES = RouteTable("health")


class Metrics(Response):
    media_type = CONTENT_TYPE_LATEST


class HealthResponse(ResponseModel):
    status: str


class ApiInfoResponse(ResponseModel):
    """What this is, and where to read on."""

    name: str
    version: str
    description: str
    docs: str


@ROUTES.add("GET", "/", permission=PUBLIC, answer=ApiInfoResponse)
async def front(request: Request) -> Any:
    """For who looks what answers here."""
    about = {"name": request.app.title, "version": request.app.version}
    return {**about, "description": "/openapi.json", "docs": "docs/howto/http-api.md in Tenuto's source"}


@ROUTES.add("GET", "/healthz", permission=PUBLIC, answer=HealthResponse)
async def healthz() -> Any:
    """The process answers."""
    return {"status": "ok"}


@ROUTES.add("GET", "/readyz", permission=PUBLIC, answer=HealthResponse)
async def readyz(request: Request) -> Any:
    """The database responds too. Requests that come while one check runs share its result."""
    state = request.app.state
    if state.look is None or state.look.done():
        state.look = asyncio.create_task(state.pool.call(maintenance.now))
        state.look.add_done_callback(_seen)
    await asyncio.shield(state.look)
    return {"status": "ok"}


def _seen(look: asyncio.Task[Any]) -> None:
    """What it raised is said to those who wait for it, if there still are any."""
    if not look.cancelled():
        look.exception()


@ROUTES.add("GET", "/metrics", permission="status:read", response_class=Metrics)
async def metrics(desk: AtDesk) -> Response:
    """Requests that this process answered, for Prometheus; several processes each have their own. Nothing of any org
    is in it: queues and types are where `--metrics-port` answers."""
    await desk.check()
    return Metrics(generate_latest(HTTP_REGISTRY))


@ROUTES.add("GET", "/openapi.json", permission=PUBLIC)
async def openapi(request: Request) -> dict[str, Any]:
    """This description."""
    return request.app.openapi()
