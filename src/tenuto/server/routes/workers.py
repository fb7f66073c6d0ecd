"""Workers: list, drain."""

from typing import Any, Literal

from starlette.responses import Response

from tenuto.db import monitoring, workers
from tenuto.model.monitoring import WorkerStatus
from tenuto.server.http.pagination import NameFilter, PathName, page
from tenuto.server.http.route_table import RouteTable
from tenuto.server.requests.api import ApiRequest
from tenuto.server.schemas.base import Page, ReasonRequest

ROUTES = RouteTable("workers")


class WorkerFilter(NameFilter):
    status: Literal["starting", "active", "draining", "error", "terminated"] | None = None


@ROUTES.add("GET", "/v1/workers", permission="workers:read", response=Page[WorkerStatus])
async def list_workers(request: ApiRequest, query: WorkerFilter) -> Any:
    """List the org's workers by name."""
    return page(await request.ask(monitoring.list_workers, **query.model_dump()), query, "id")


@ROUTES.add("POST", "/v1/workers/{name}/drain", permission="workers:write", response=None, status=204)
async def drain_worker(request: ApiRequest, name: PathName, body: ReasonRequest | None = None) -> Response:
    """Drain a worker: it finishes its attempts and claims nothing more."""
    reason = body.reason if body else None
    return await request.audited_call("worker", name, "drain", workers.drain_worker, worker_id=name, reason=reason)
