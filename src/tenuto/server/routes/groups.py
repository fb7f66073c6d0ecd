"""Resource groups: list, get, create, change, delete."""

from starlette.responses import Response

from tenuto.db import identity
from tenuto.model.errors import Forbidden
from tenuto.model.identity import ResourceGroup
from tenuto.server.http.pagination import NameFilter, PathName, page
from tenuto.server.http.route_table import RouteTable
from tenuto.server.requests.api import ApiRequest, Transaction
from tenuto.server.schemas.base import IdResponse, Page
from tenuto.server.schemas.operations import SetGroupRequest

ROUTES = RouteTable("groups")


@ROUTES.add("GET", "/v1/groups", permission="groups:read", response=Page[ResourceGroup])
async def list_groups(request: ApiRequest, query: NameFilter) -> object:
    """List the org's resource groups, in the order of their names (`external_id`)."""
    return page(await request.call_with(query, identity.list_groups), query, "external_id")


@ROUTES.add("GET", "/v1/groups/{name}", permission="groups:read", response=ResourceGroup)
async def get_group(request: ApiRequest, name: PathName) -> object:
    """Get a resource group by its name (`external_id`)."""
    return await request.call(identity.get_group, external_id=name)


@ROUTES.add("PUT", "/v1/groups/{name}", permission="groups:write", response=IdResponse)
async def set_resource_group(request: ApiRequest, name: PathName, body: SetGroupRequest) -> Response:
    """Create a resource group, or change its weight and quota."""

    async def work(change: Transaction) -> IdResponse:
        changes = body.model_dump(exclude_none=True)
        id = await identity.set_resource_group(
            change.conn, org_id=change.org_id, external_id=name, weight=body.weight, quota=body.quota
        )
        await change.audit("group", name, "set", {key: {"new": value} for key, value in changes.items()})
        return IdResponse(id=id)

    return await request.change(work)


@ROUTES.add("DELETE", "/v1/groups/{name}", permission="groups:write", response=None, status=204)
async def delete_group(request: ApiRequest, name: PathName) -> Response:
    """Delete a resource group with its runs; also needs the permission `runs:delete`. Dispatchers delete the runs, a
    part at a time. The default group, and a group with runs that have not ended, cannot be deleted (409)."""
    if "runs:delete" not in request.principal.permissions:
        raise Forbidden("the runs of a group are deleted with it, and this needs the permission runs:delete")
    return await request.audited_call("group", name, "delete", identity.delete_group, external_id=name)
