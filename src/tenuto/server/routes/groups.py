"""Resource groups: list, create, change."""

from typing import Any

from starlette.responses import Response

from tenuto.db import identity
from tenuto.model.identity import ResourceGroup
from tenuto.server.http.pagination import NameFilter, PathName, page
from tenuto.server.http.route_table import RouteTable
from tenuto.server.requests.api import ApiRequest, Transaction
from tenuto.server.schemas.base import IdResponse, Page
from tenuto.server.schemas.operations import SetGroupRequest

ROUTES = RouteTable("groups")


@ROUTES.add("GET", "/v1/groups", permission="groups:read", response=Page[ResourceGroup])
async def list_groups(request: ApiRequest, query: NameFilter) -> Any:
    """List the org's resource groups by external id."""
    return page(await request.ask(identity.list_groups, **query.model_dump()), query, "external_id")


@ROUTES.add("PUT", "/v1/groups/{name}", permission="groups:write", response=IdResponse)
async def set_resource_group(request: ApiRequest, name: PathName, body: SetGroupRequest) -> Response:
    """Create a resource group, or change its weight and quota."""

    async def work(change: Transaction) -> IdResponse:
        changes = body.model_dump(exclude_none=True)
        id = await identity.set_resource_group(change.conn, org_id=change.org_id, external_id=name, **changes)
        await change.note("group", name, "set", {key: {"new": value} for key, value in changes.items()})
        return IdResponse(id=id)

    return await request.change(work)
