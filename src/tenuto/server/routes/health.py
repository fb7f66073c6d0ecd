"""Health checks, metrics and the OpenAPI document."""

import asyncio
from typing import Any

from fastapi import Request, Response
from prometheus_client import generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from tenuto.db import maintenance
from tenuto.model.metrics import HTTP_REGISTRY
from tenuto.server.http.routing import PUBLIC, RouteTable
from tenuto.server.requests.api import ApiRequest
from tenuto.server.schemas.base import ResponseModel

ROUTES = RouteTable("health")


class Metrics(Response):
    media_type = CONTENT_TYPE_LATEST


class HealthResponse(ResponseModel):
    status: str


class ApiInfoResponse(ResponseModel):
    """The name and version of the server, and links to its documentation."""

    name: str
    version: str
    description: str
    docs: str


@ROUTES.add("GET", "/", permission=PUBLIC, response=ApiInfoResponse)
async def front(request: Request) -> Any:
    """Get the name and version of the server."""
    about = {"name": request.app.title, "version": request.app.version}
    return {**about, "description": "/openapi.json", "docs": "docs/howto/http-api.md in Tenuto's source"}


@ROUTES.add("GET", "/healthz", permission=PUBLIC, response=HealthResponse)
async def healthz() -> Any:
    """Respond while the process runs."""
    return {"status": "ok"}


@ROUTES.add("GET", "/readyz", permission=PUBLIC, response=HealthResponse)
async def readyz(request: Request) -> Any:
    """Respond while the database responds too. Requests that come while one check runs share its result."""
    state = request.app.state
    if state.look is None or state.look.done():
        state.look = asyncio.create_task(state.pool.call(maintenance.now))
        state.look.add_done_callback(_seen)
    await asyncio.shield(state.look)
    return {"status": "ok"}


def _seen(look: asyncio.Task[Any]) -> None:
    """Reads the check's exception, so that asyncio does not report it when no request waits for it any more."""
    if not look.cancelled():
        look.exception()


@ROUTES.add("GET", "/metrics", permission="status:read", response_class=Metrics)
async def metrics(request: ApiRequest) -> Response:
    """Get Prometheus metrics of the requests of this process; each process has its own. They contain nothing of any
    org: metrics of queues and types are at `--metrics-port`."""
    await request.check()
    return Metrics(generate_latest(HTTP_REGISTRY))


@ROUTES.add("GET", "/openapi.json", permission=PUBLIC)
async def openapi(request: Request) -> dict[str, Any]:
    """Get the OpenAPI document."""
    return request.app.openapi()
