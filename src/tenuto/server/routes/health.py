"""Health checks, metrics and the OpenAPI document."""

import asyncio
from typing import Any, Literal

from prometheus_client import generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from starlette.responses import RedirectResponse, Response

from tenuto.db import maintenance
from tenuto.db.connection.pool import ConnectionPool
from tenuto.model.metrics import HTTP_REGISTRY
from tenuto.server.auth.oidc_login import HOME
from tenuto.server.http.request import HttpRequest
from tenuto.server.http.route_table import PUBLIC, RouteTable
from tenuto.server.requests.api import ApiRequest
from tenuto.server.schemas.base import ResponseModel

ROUTES = RouteTable("health")


class Metrics(Response):
    media_type = CONTENT_TYPE_LATEST


class HealthResponse(ResponseModel):
    status: Literal["ok"]


class ApiInfoResponse(ResponseModel):
    """The name and version of the server, and links to its documentation."""

    name: str
    version: str
    description: str
    docs: str
    dashboard: str
    oidc: bool  # whether users can log in at an OIDC issuer


class ReadinessCheck:
    """Checks that the database responds, with a query. Callers that arrive while a query runs share its result."""

    def __init__(self, pool: ConnectionPool) -> None:
        self._pool = pool
        self._query: asyncio.Task[Any] | None = None

    async def wait(self) -> None:
        if self._query is None or self._query.done():
            self._query = asyncio.create_task(self._pool.call(maintenance.now))
            self._query.add_done_callback(_read_exception)
        await asyncio.shield(self._query)


def _read_exception(query: asyncio.Task[Any]) -> None:
    """Reads the exception of a query, so that asyncio does not report it when no request waits for it any more."""
    if not query.cancelled():
        query.exception()


@ROUTES.add("GET", "/", permission=PUBLIC, response=ApiInfoResponse)
async def front(request: HttpRequest) -> object:
    """Get the name and version of the server. Browsers are redirected to the dashboard."""
    if "text/html" in request.headers.get("accept", ""):
        return RedirectResponse(HOME, 303)
    about = {"name": request.app.title, "version": request.app.version, "dashboard": HOME}
    issuer = request.server.issuer
    oidc = issuer is not None and issuer.settings.client_id is not None
    return {**about, "description": "/openapi.json", "docs": "/docs", "oidc": oidc}


@ROUTES.add("GET", "/healthz", permission=PUBLIC, response=HealthResponse)
async def healthz() -> object:
    """Check that the server process runs."""
    return {"status": "ok"}


@ROUTES.add("GET", "/readyz", permission=PUBLIC, response=HealthResponse)
async def readyz(request: HttpRequest) -> object:
    """Check that the database responds too; 503 if it does not. Requests that arrive while a check runs share its
    result."""
    await request.server.readiness.wait()
    return {"status": "ok"}


@ROUTES.add("GET", "/metrics", permission="status:read", response_class=Metrics)
async def metrics(request: ApiRequest) -> Response:
    """Get Prometheus metrics of the requests that this server process handled. They contain no data of orgs. Metrics of
    queues and types are served at `--metrics-port`."""
    await request.check()
    return Metrics(generate_latest(HTTP_REGISTRY))


@ROUTES.add("GET", "/openapi.json", permission=PUBLIC)
async def openapi(request: HttpRequest) -> dict[str, Any]:
    """Get the OpenAPI document."""
    return request.app.openapi()
