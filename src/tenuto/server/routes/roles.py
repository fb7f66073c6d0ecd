"""Roles of the org's own, and who has them."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import Path, Query, Response

from tenuto.db import identity
from tenuto.model.identity import Member, OrgRole
from tenuto.server.http.pagination import Filter, page
from tenuto.server.http.routing import RouteTable
from tenuto.server.requests.api import AtDesk, Transaction
from tenuto.server.schemas.base import IdResponse, Page
from tenuto.server.schemas.users import CreateRoleRequest

ROUTES = RouteTable("roles")

Name = Annotated[str, Path(min_length=1, max_length=63)]


class RoleFilter(Filter):
    """By name, after one."""

    after: str | None = None


class MemberFilter(Filter):
    """By id, after one."""

    after: UUID | None = None


@ROUTES.add("GET", "/v1/roles", permission="roles:read", answer=Page[OrgRole])
async def list_roles(desk: AtDesk, asked: Annotated[RoleFilter, Query()]) -> Any:
    """The org's roles and how many people have each, by name."""
    return page(await desk.ask(identity.list_roles, **asked.model_dump()), asked, "name")


@ROUTES.add("POST", "/v1/roles", permission="roles:write", answer=IdResponse, status=201)
async def create_role(desk: AtDesk, body: CreateRoleRequest) -> Response:
    """A role that people can have and datasets can name."""

    async def work(change: Transaction) -> IdResponse:
        id = await change.do(identity.create_role, name=body.name, description=body.description)
        await change.note("role", body.name, "create", {"description": {"new": body.description}})
        return IdResponse(id=id)

    return await desk.change(work, status=201)


@ROUTES.add("DELETE", "/v1/roles/{name}", permission="roles:write", answer=None, status=204)
async def delete_role(desk: AtDesk, name: Name) -> Response:
    """Delete a role; those who had it have it no more."""

    async def work(change: Transaction) -> None:
        await change.do(identity.delete_role, name=name)
        await change.note("role", name, "delete")

    return await desk.change(work, status=204)


@ROUTES.add("GET", "/v1/roles/{name}/members", permission="users:read", answer=Page[Member])
async def list_members(desk: AtDesk, name: Name, asked: Annotated[MemberFilter, Query()]) -> Any:
    """Who has a role."""
    return page(await desk.ask(identity.list_members, role=name, **asked.model_dump()), asked, "user_id")


@ROUTES.add("PUT", "/v1/roles/{name}/members/{user_id}", permission="roles:write", answer=None, status=204)
async def add_member(desk: AtDesk, name: Name, user_id: UUID) -> Response:
    """Give a person a role; giving it twice is fine."""

    async def work(change: Transaction) -> None:
        await change.do(identity.add_member, role=name, user_id=user_id)
        await change.note("role", name, "add", {"user": {"new": str(user_id)}})

    return await desk.change(work, status=204)


@ROUTES.add("DELETE", "/v1/roles/{name}/members/{user_id}", permission="roles:write", answer=None, status=204)
async def remove_member(desk: AtDesk, name: Name, user_id: UUID) -> Response:
    """Take a role from a person."""

    async def work(change: Transaction) -> None:
        await change.do(identity.remove_member, role=name, user_id=user_id)
        await change.note("role", name, "remove", {"user": {"old": str(user_id)}})

    return await desk.change(work, status=204)
