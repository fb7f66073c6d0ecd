"""Users of the org: list, add, change the role, disable. A caller can neither create nor change a user with more
permissions than its own."""

from uuid import UUID

from starlette.responses import Response

from tenuto.db import identity
from tenuto.model.identity import User
from tenuto.server.http.pagination import Filter, page
from tenuto.server.http.route_table import RouteTable
from tenuto.server.requests.api import ApiRequest, Transaction
from tenuto.server.schemas.base import IdResponse, Page
from tenuto.server.schemas.users import CreateUserRequest, EditUserRequest

ROUTES = RouteTable("users")


class UserFilter(Filter):
    """Selects users, newest first. `before`: the last id of the previous page. `name`: only users with this name, email
    address or subject."""

    before: UUID | None = None
    name: str | None = None


@ROUTES.add("GET", "/v1/users", permission="users:read", response=Page[User])
async def list_users(request: ApiRequest, query: UserFilter) -> object:
    """List the org's users, newest first."""
    return page(await request.call_with(query, identity.list_users), query, "id")


@ROUTES.add("GET", "/v1/users/{user_id}", permission="users:read", response=User)
async def get_user(request: ApiRequest, user_id: UUID) -> object:
    """Get a user."""
    return await request.call(identity.get_user, user_id=user_id)


@ROUTES.add("POST", "/v1/users", permission="users:write", response=IdResponse, status=201)
async def put_user(request: ApiRequest, body: CreateUserRequest) -> Response:
    """Add a user of the OIDC issuer, or update an existing one. Without a role, a new user becomes a reader, and an
    existing user keeps their role."""

    async def work(change: Transaction) -> IdResponse:
        fields = body.model_dump(exclude_none=True)
        id = await identity.put_user(
            change.conn,
            org_id=change.org_id,
            issuer=body.issuer,
            subject=body.subject,
            email=body.email,
            name=body.name,
            by_key=request.by_key,
            by_user=request.by_user,
        )
        if body.platform_role is not None:
            await _set_role(change, id, body.platform_role)
        await change.audit("user", id, "put", {field: {"new": value} for field, value in fields.items()})
        return IdResponse(id=id)

    return await request.change(work, status=201)


@ROUTES.add("PATCH", "/v1/users/{user_id}", permission="users:write", response=None, status=204)
async def edit_user(request: ApiRequest, user_id: UUID, body: EditUserRequest) -> Response:
    """Change the platform role of a user, or disable or enable the user. Disabling ends the user's logins."""

    async def work(change: Transaction) -> None:
        if body.platform_role is not None:
            await _set_role(change, user_id, body.platform_role)
        if body.disabled is not None:
            function = identity.disable_user if body.disabled else identity.enable_user
            await function(
                change.conn, org_id=change.org_id, user_id=user_id, by_key=request.by_key, by_user=request.by_user
            )
            await change.audit("user", user_id, "disable" if body.disabled else "enable")

    return await request.change(work, status=204)


async def _set_role(change: Transaction, user_id: UUID, role: str) -> None:
    request = change.request
    old = await identity.set_user_role(
        change.conn,
        org_id=change.org_id,
        user_id=user_id,
        platform_role=role,
        by_key=request.by_key,
        by_user=request.by_user,
    )
    if old != role:
        await change.audit("user", user_id, "role", {"platform_role": {"old": old, "new": role}})
