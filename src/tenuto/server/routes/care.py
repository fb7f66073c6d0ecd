"""Queues, workers, resource groups and the org's status."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Literal

from fastapi import Path, Query, Response

from tenuto.db import identity, monitoring, runs, workers
from tenuto.model.identity import ResourceGroup
from tenuto.model.monitoring import QueueStatus, WorkerStatus
from tenuto.server.http.pagination import Filter, page
from tenuto.server.http.routing import RouteTable
from tenuto.server.requests.api import AtDesk, Transaction
from tenuto.server.schemas import operations as schemas
from tenuto.server.schemas.base import IdResponse, Items, Page, ReasonRequest
from tenuto.server.schemas.operations import SetGroupRequest

ROUTES = RouteTable("care")

Name = Annotated[str, Path(min_length=1, max_length=256)]


class NameFilter(Filter):
    """Selects rows by name, after a name."""

    after: str | None = None


class WorkerFilter(NameFilter):
    status: Literal["starting", "active", "draining", "error", "terminated"] | None = None


@ROUTES.add("GET", "/v1/status", permission="status:read", answer=schemas.StatusResponse)
async def get_status(desk: AtDesk) -> Any:
    """Get the number of tasks in each state, and of workers."""
    return await desk.ask(monitoring.get_overview)


@ROUTES.add("GET", "/v1/queues", permission="queues:read", answer=Items[QueueStatus])
async def list_queues(desk: AtDesk) -> Any:
    """List every queue with its numbers of tasks."""
    return {"items": await desk.ask(monitoring.list_queues)}


@ROUTES.add("POST", "/v1/queues/{name}/pause", permission="queues:write", answer=None, status=204)
async def pause_queue(desk: AtDesk, name: Name) -> Response:
    """Pause a queue: no task of it is claimed until it is resumed."""
    return await do(desk, "queue", name, "pause", runs.pause_queue, queue=name)


@ROUTES.add("POST", "/v1/queues/{name}/resume", permission="queues:write", answer=None, status=204)
async def resume_queue(desk: AtDesk, name: Name) -> Response:
    """Resume a queue."""
    return await do(desk, "queue", name, "resume", runs.resume_queue, queue=name)


@ROUTES.add("GET", "/v1/workers", permission="workers:read", answer=Page[WorkerStatus])
async def list_workers(desk: AtDesk, asked: Annotated[WorkerFilter, Query()]) -> Any:
    """List the org's workers by name."""
    return page(await desk.ask(monitoring.list_workers, **asked.model_dump()), asked, "id")


@ROUTES.add("POST", "/v1/workers/{name}/drain", permission="workers:write", answer=None, status=204)
async def drain_worker(desk: AtDesk, name: Name, body: ReasonRequest | None = None) -> Response:
    """Drain a worker: it finishes its attempts and claims nothing more."""
    reason = body.reason if body else None
    return await do(desk, "worker", name, "drain", workers.drain_worker, worker_id=name, reason=reason)


@ROUTES.add("GET", "/v1/groups", permission="groups:read", answer=Page[ResourceGroup])
async def list_groups(desk: AtDesk, asked: Annotated[NameFilter, Query()]) -> Any:
    """List the org's resource groups by external id."""
    return page(await desk.ask(identity.list_groups, **asked.model_dump()), asked, "external_id")


@ROUTES.add("PUT", "/v1/groups/{name}", permission="groups:write", answer=IdResponse)
async def set_resource_group(desk: AtDesk, name: Name, body: SetGroupRequest) -> Response:
    """Create a resource group, or change its weight and quota."""

    async def work(change: Transaction) -> IdResponse:
        said = body.model_dump(exclude_none=True)
        id = await change.do(identity.set_resource_group, external_id=name, **said)
        await change.note("group", name, "set", {key: {"new": value} for key, value in said.items()})
        return IdResponse(id=id)

    return await desk.change(work)


async def do(
    desk: AtDesk, entity: str, entity_id: str, action: str, function: Callable[..., Awaitable[None]], **params: Any
) -> Response:
    """Calls one SQL function and writes its entry in the audit log."""

    async def work(change: Transaction) -> None:
        await change.do(function, **params)
        reason = params.get("reason")
        await change.note(entity, entity_id, action, {"reason": {"new": reason}} if reason else None)

    return await desk.change(work, status=204)
