"""Pools of workers: list, get, set, delete; their machines, and the decisions about their size."""

from uuid import UUID

from starlette.responses import Response

from tenuto.db import pools
from tenuto.model.pools import PoolMachine, PoolStatus, ScalingDecision
from tenuto.server.http.pagination import Filter, NameFilter, PathName, Query, page
from tenuto.server.http.route_table import RouteTable
from tenuto.server.requests.api import ApiRequest, Transaction
from tenuto.server.schemas.base import IdResponse, Items, Page
from tenuto.server.schemas.pools import RequestedMachines, RequestMachinesRequest, SetPoolRequest

ROUTES = RouteTable("pools")


class DecisionFilter(Filter):
    """`before`: the last id of the previous page."""

    before: UUID | None = None


class DeleteFilter(Query):
    """`force`: delete the pool even if it has machines. They continue to run."""

    force: bool = False


@ROUTES.add("GET", "/v1/pools", permission="pools:read", response=Page[PoolStatus])
async def list_pools(request: ApiRequest, query: NameFilter) -> object:
    """List the pools by name, each with its policy, its machines by status, its last decision and its last problem."""
    return page(await request.call_with(query, pools.list_pools), query, "name")


@ROUTES.add("GET", "/v1/pools/{name}", permission="pools:read", response=PoolStatus)
async def get_pool(request: ApiRequest, name: PathName) -> object:
    """Get a pool by its name."""
    return (await request.call(pools.list_pools, name=name))[0]


@ROUTES.add("GET", "/v1/pools/{name}/machines", permission="pools:read", response=Items[PoolMachine])
async def list_pool_machines(request: ApiRequest, name: PathName) -> object:
    """List the machines of a pool that have not ended, newest first, at most 200."""
    return {"items": await request.call(pools.list_pool_machines, name=name)}


@ROUTES.add("GET", "/v1/pools/{name}/decisions", permission="pools:read", response=Page[ScalingDecision])
async def list_scaling_decisions(request: ApiRequest, name: PathName, query: DecisionFilter) -> object:
    """List the decisions about the size of a pool, newest first, with their reasons and facts."""
    return page(await request.call_with(query, pools.list_scaling_decisions, name=name), query, "id")


@ROUTES.add("PUT", "/v1/pools/{name}", permission="pools:write", response=IdResponse)
async def set_pool(request: ApiRequest, name: PathName, body: SetPoolRequest) -> Response:
    """Create a pool, or change the fields of its policy that are sent. The dispatchers that have its provider control
    the pool."""
    policy = body.model_dump(exclude_unset=True)

    async def work(change: Transaction) -> IdResponse:
        id = await pools.set_pool(change.conn, org_id=change.org_id, name=name, policy=policy)
        await change.audit("pool", name, "set", {key: {"new": value} for key, value in policy.items()})
        return IdResponse(id=id)

    return await request.change(work)


@ROUTES.add("POST", "/v1/pools/{name}/machines", permission="pools:write", response=RequestedMachines)
async def request_machines(request: ApiRequest, name: PathName, body: RequestMachinesRequest) -> Response:
    """Request machines by hand: the next decision starts them, as far as `max_workers` and the provider allow. The rest
    of the request is dropped. The started machines end when they are idle, like all machines of the pool."""

    async def work(change: Transaction) -> RequestedMachines:
        requested = await pools.request_machines(change.conn, org_id=change.org_id, name=name, count=body.count)
        await change.audit("pool", name, "request_machines", {"count": {"new": body.count}})
        return RequestedMachines(requested=requested)

    return await request.change(work)


@ROUTES.add("DELETE", "/v1/pools/{name}", permission="pools:write", response=None, status=204)
async def delete_pool(request: ApiRequest, name: PathName, query: DeleteFilter) -> Response:
    """Delete a pool with its decisions. A pool with machines is refused (409), unless `force` is sent."""
    return await request.audited_call("pool", name, "delete", pools.delete_pool, name=name, force=query.force)
