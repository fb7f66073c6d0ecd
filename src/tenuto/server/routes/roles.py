"""The org's own roles and their members."""

from typing import Annotated
from uuid import UUID

from pydantic import Field
from starlette.responses import Response

from tenuto.db import identity
from tenuto.model.identity import Member, OrgRole
from tenuto.server.http.pagination import Filter, page
from tenuto.server.http.route_table import RouteTable
from tenuto.server.requests.api import ApiRequest, Transaction
from tenuto.server.schemas.base import IdResponse, Page
from tenuto.server.schemas.users import CreateRoleRequest

ROUTES = RouteTable("roles")

Name = Annotated[str, Field(min_length=1, max_length=63)]


class RoleFilter(Filter):
    """Selects roles in the order of their names. `after`: the last name of the previous page."""

    after: str | None = None


class MemberFilter(Filter):
    """Selects members in the order of their ids. `after`: the last id of the previous page."""

    after: UUID | None = None


@ROUTES.add("GET", "/v1/roles", permission="roles:read", response=Page[OrgRole])
async def list_roles(request: ApiRequest, query: RoleFilter) -> object:
    """List the org's roles by name, with their numbers of members."""
    return page(await request.call_with(query, identity.list_roles), query, "name")


@ROUTES.add("POST", "/v1/roles", permission="roles:write", response=IdResponse, status=201)
async def create_role(request: ApiRequest, body: CreateRoleRequest) -> Response:
    """Create a role. Users can be members of the role, and the role can get access to datasets."""

    async def work(change: Transaction) -> IdResponse:
        id = await identity.create_role(
            change.conn,
            org_id=change.org_id,
            name=body.name,
            description=body.description,
            display_name=body.display_name,
        )
        new = body.model_dump(exclude={"name"}, exclude_none=True)
        await change.audit("role", body.name, "create", {field: {"new": value} for field, value in new.items()})
        return IdResponse(id=id)

    return await request.change(work, status=201)


@ROUTES.add("DELETE", "/v1/roles/{name}", permission="roles:write", response=None, status=204)
async def delete_role(request: ApiRequest, name: Name) -> Response:
    """Delete a role and its memberships."""

    async def work(change: Transaction) -> None:
        await identity.delete_role(change.conn, org_id=change.org_id, name=name)
        await change.audit("role", name, "delete")

    return await request.change(work, status=204)


@ROUTES.add("GET", "/v1/roles/{name}/members", permission="users:read", response=Page[Member])
async def list_members(request: ApiRequest, name: Name, query: MemberFilter) -> object:
    """List the members of a role."""
    return page(await request.call_with(query, identity.list_members, role=name), query, "user_id")


@ROUTES.add("PUT", "/v1/roles/{name}/members/{user_id}", permission="roles:write", response=None, status=204)
async def add_member(request: ApiRequest, name: Name, user_id: UUID) -> Response:
    """Give a role to a user. Giving it twice is allowed."""

    async def work(change: Transaction) -> None:
        await identity.add_member(change.conn, org_id=change.org_id, role=name, user_id=user_id)
        await change.audit("role", name, "add", {"user": {"new": str(user_id)}})

    return await request.change(work, status=204)


@ROUTES.add("DELETE", "/v1/roles/{name}/members/{user_id}", permission="roles:write", response=None, status=204)
async def remove_member(request: ApiRequest, name: Name, user_id: UUID) -> Response:
    """Take a role from a user."""

    async def work(change: Transaction) -> None:
        await identity.remove_member(change.conn, org_id=change.org_id, role=name, user_id=user_id)
        await change.audit("role", name, "remove", {"user": {"old": str(user_id)}})

    return await request.change(work, status=204)
