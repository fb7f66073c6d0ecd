"""Queues: list, pause, resume."""

from starlette.responses import Response

from tenuto.db import monitoring, runs
from tenuto.model.monitoring import QueueStatus
from tenuto.server.http.pagination import PathName
from tenuto.server.http.route_table import RouteTable
from tenuto.server.requests.api import ApiRequest
from tenuto.server.schemas.base import Items

ROUTES = RouteTable("queues")


@ROUTES.add("GET", "/v1/queues", permission="queues:read", response=Items[QueueStatus])
async def list_queues(request: ApiRequest) -> object:
    """List all queues, each with its numbers of tasks."""
    return {"items": await request.call(monitoring.list_queues)}


@ROUTES.add("POST", "/v1/queues/{name}/pause", permission="queues:write", response=None, status=204)
async def pause_queue(request: ApiRequest, name: PathName, new: bool = False) -> Response:
    """Pause a queue: its tasks are not claimed until it is resumed. The response is 404 for a queue that no task and no
    worker has named so far, unless `new` is true."""
    return await request.audited_call("queue", name, "pause", runs.pause_queue, queue=name, new=new)


@ROUTES.add("POST", "/v1/queues/{name}/resume", permission="queues:write", response=None, status=204)
async def resume_queue(request: ApiRequest, name: PathName) -> Response:
    """Resume a queue."""
    return await request.audited_call("queue", name, "resume", runs.resume_queue, queue=name)
