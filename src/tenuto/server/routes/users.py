"""Users of the org: add, promote, disable. A user can neither create nor change a user with more permissions."""

from typing import Any
from uuid import UUID

from starlette.responses import Response

from tenuto.db import identity
from tenuto.db.connection.call import Conn
from tenuto.model.errors import Conflict, Forbidden, NotFound
from tenuto.model.identity import User
from tenuto.model.permissions import PLATFORM_ROLES, beyond
from tenuto.server.http.pagination import Filter, page
from tenuto.server.http.route_table import RouteTable
from tenuto.server.requests.api import ApiRequest, Transaction
from tenuto.server.schemas.base import IdResponse, Page
from tenuto.server.schemas.users import CreateUserRequest, EditUserRequest

ROUTES = RouteTable("users")


class UserFilter(Filter):
    """Selects users, newest first, before an id."""

    before: UUID | None = None


@ROUTES.add("GET", "/v1/users", permission="users:read", response=Page[User])
async def list_users(request: ApiRequest, query: UserFilter) -> Any:
    """List the org's users, newest first."""
    return page(await request.ask(identity.list_users, **query.model_dump()), query, "id")


@ROUTES.add("GET", "/v1/users/{user_id}", permission="users:read", response=User)
async def get_user(request: ApiRequest, user_id: UUID) -> Any:
    """Get a user."""
    return await request.ask(_find, user_id=user_id)


@ROUTES.add("POST", "/v1/users", permission="users:write", response=IdResponse, status=201)
async def put_user(request: ApiRequest, body: CreateUserRequest) -> Response:
    """Add a user of the OIDC issuer, as a reader unless a role is given. A known user is updated."""
    _check_reach(request, body.platform_role or "reader")

    async def work(change: Transaction) -> IdResponse:
        said = body.model_dump(exclude_none=True)
        id = await change.do(identity.put_user, **{**said, "platform_role": None})
        old = await change.do(_find, user_id=id)
        _check_reach(request, old.platform_role)
        await _set_role(change, old, body.platform_role or old.platform_role)
        await change.note("user", id, "put", {field: {"new": value} for field, value in said.items()})
        return IdResponse(id=id)

    return await request.change(work, status=201)


@ROUTES.add("PATCH", "/v1/users/{user_id}", permission="users:write", response=None, status=204)
async def edit_user(request: ApiRequest, user_id: UUID, body: EditUserRequest) -> Response:
    """Change the platform role of a user, or disable or enable the user. Disabling ends the user's logins."""

    async def work(change: Transaction) -> None:
        old = await change.do(_find, user_id=user_id)
        _check_reach(request, old.platform_role)
        if body.platform_role is not None:
            await _set_role(change, old, body.platform_role)
        if body.disabled is not None:
            if user_id == request.principal.id:
                raise Conflict("nobody disables themselves", "ask another admin of your org")
            await change.do(identity.disable_user if body.disabled else identity.enable_user, user_id=user_id)
            await change.note("user", user_id, "disable" if body.disabled else "enable")

    return await request.change(work, status=204)


async def _set_role(change: Transaction, old: User, role: str) -> None:
    if old.platform_role == role:
        return
    _check_reach(change.request, role)
    if old.id == change.request.principal.id:
        raise Conflict("nobody changes what they may do themselves", "ask another admin of your org")
    await change.do(identity.set_user_role, user_id=old.id, platform_role=role)
    await change.note("user", old.id, "role", {"platform_role": {"old": old.platform_role, "new": role}})


def _check_reach(request: ApiRequest, role: str) -> None:
    if beyond(request.principal.permissions, PLATFORM_ROLES[role]):
        raise Forbidden(f"a platform role of {role} is higher than your own", "ask an admin of your org")


async def _find(conn: Conn, *, org_id: UUID, user_id: UUID) -> User:
    """Returns one user: the first of the page before the next id."""
    after = UUID(int=min(user_id.int + 1, (1 << 128) - 1))
    found = await identity.list_users(conn, org_id=org_id, before=after, limit=1)
    if not found or found[0].id != user_id:
        raise NotFound(f"no user {user_id}", "GET /v1/users shows those there are")
    return found[0]
