"""Workers: list, get, read logs, list sessions, drain, terminate. Also lists the dispatchers."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field
from starlette.responses import Response

from tenuto.db import monitoring, workers
from tenuto.db.connection.call import Conn
from tenuto.model.monitoring import DispatcherInfo, WorkerStatus
from tenuto.model.workers import WorkerLife, WorkerLogEntry
from tenuto.server.http.pagination import Filter, NameFilter, PathName, Query, page
from tenuto.server.http.route_table import RouteTable
from tenuto.server.requests.api import ApiRequest
from tenuto.server.schemas.base import MAX_EXACT_INTEGER, Items, Page, ReasonRequest

ROUTES = RouteTable("workers")


class WorkerFilter(NameFilter):
    status: Literal["starting", "active", "draining", "error", "terminated"] | None = None


class LogFilter(Query):
    """`after`: the number of the last line that was read."""

    after: Annotated[int, Field(ge=0, le=MAX_EXACT_INTEGER)] | None = None
    limit: Annotated[int, Field(ge=1, le=1000)] = 200


class HistoryFilter(Filter):
    """`before`: the last `session_id` of the previous page."""

    before: Annotated[int, Field(ge=1, le=MAX_EXACT_INTEGER)] | None = None


@ROUTES.add("GET", "/v1/workers", permission="workers:read", response=Page[WorkerStatus])
async def list_workers(request: ApiRequest, query: WorkerFilter) -> object:
    """List the org's workers by name."""
    return page(await request.call_with(query, monitoring.list_workers), query, "id")


@ROUTES.add("GET", "/v1/workers/{name}", permission="workers:read", response=WorkerStatus)
async def get_worker(request: ApiRequest, name: PathName) -> object:
    """Get a worker, with the number of tasks that it runs and its health."""
    return await request.call(monitoring.get_worker, worker_id=name)


@ROUTES.add("GET", "/v1/workers/{name}/logs", permission="workers:read", response=Items[WorkerLogEntry])
async def read_worker_logs(request: ApiRequest, name: PathName, query: LogFilter) -> object:
    """Get the newest lines of a worker's log, or the lines after `after`, in the order in which they were written. The
    newest 2,000 lines of each worker are kept, for 48 hours."""
    lines = await request.call(monitoring.read_worker_logs, worker_id=name, after=query.after, limit=query.limit)
    return {"items": lines}


@ROUTES.add("GET", "/v1/workers/{name}/history", permission="workers:read", response=Page[WorkerLife])
async def list_worker_history(request: ApiRequest, name: PathName, query: HistoryFilter) -> object:
    """List the sessions of a worker, newest first: when each began and ended, and why it ended."""
    lives = await request.call(monitoring.list_worker_history, worker_id=name, before=query.before, limit=query.limit)
    return page(lives, query, "session_id")


@ROUTES.add("POST", "/v1/workers/{name}/drain", permission="workers:write", response=None, status=204)
async def drain_worker(request: ApiRequest, name: PathName, body: ReasonRequest | None = None) -> Response:
    """Drain a worker: it finishes its attempts and claims nothing more."""
    reason = body.reason if body else None
    return await request.audited_call("worker", name, "drain", workers.drain_worker, worker_id=name, reason=reason)


@ROUTES.add("POST", "/v1/workers/{name}/terminate", permission="workers:write", response=None, status=204)
async def terminate_worker(request: ApiRequest, name: PathName) -> Response:
    """Terminate a worker: its session ends, and other workers get its tasks. If its process is alive, it registers
    again."""
    return await request.audited_call("worker", name, "terminate", workers.terminate_worker, worker_id=name)


@ROUTES.add("GET", "/v1/dispatchers", permission="status:read", response=Items[DispatcherInfo])
async def list_dispatchers(request: ApiRequest) -> object:
    """List the dispatchers with a heartbeat in the last hour, latest heartbeat first. Those without one in the last
    minute are dead. They serve all orgs."""
    return {"items": await request.read(_dispatchers)}


async def _dispatchers(conn: Conn, *, org_id: UUID) -> list[DispatcherInfo]:  # noqa: ARG001 - the same for every org
    return await monitoring.list_dispatchers(conn)
