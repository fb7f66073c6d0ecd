"""Orgs, users and roles: the operations that commands call, as a protocol, and their HTTP implementation."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar
from urllib.parse import quote
from uuid import UUID

from tenuto.model.identity import Member, OrgRole, User
from tenuto.model.json import JsonObject
from tenuto.model.orgs import Org
from tenuto.sdk.client.http_client import Http
from tenuto.sdk.client.http_transport import read
from tenuto.sdk.client.transport import PAGE
from tenuto.sdk.values.wire_format import dump

T = TypeVar("T")


@dataclass(frozen=True)
class NewUser:
    """A user of an OIDC issuer, whom `issuer` and `subject` identify."""

    issuer: str
    subject: str
    platform_role: str
    email: str | None
    name: str | None


class PeopleOperations(Protocol):
    """Operations on orgs, and on the users and roles of one org."""

    async def list_orgs(self, *, after: str | None = None, limit: int = PAGE) -> list[Org]:
        """Return a page of orgs, by slug; over HTTP only the org of the API key."""
        ...

    async def get_org(self, slug: str) -> Org: ...

    async def update_org(self, slug: str, *, name: str | None, settings: JsonObject | None) -> None:
        """Change the name, or replace all settings; None changes nothing."""
        ...

    async def list_users(self, *, before: UUID | None = None, limit: int = PAGE, name: str | None = None) -> list[User]:
        """Return a page of users, newest first. `name`: only users with this name, email address or subject."""
        ...

    async def get_user(self, user_id: UUID) -> User: ...

    async def put_user(self, user: NewUser) -> UUID:
        """Add a user, or update the user if it exists; return its id."""
        ...

    async def set_user_role(self, user_id: UUID, platform_role: str) -> None: ...

    async def disable_user(self, user_id: UUID) -> None: ...

    async def enable_user(self, user_id: UUID) -> None: ...

    async def list_roles(self, *, after: str | None = None, limit: int = PAGE) -> list[OrgRole]:
        """Return a page of roles, by name."""
        ...

    async def create_role(self, name: str, *, description: str | None, display_name: str | None) -> UUID: ...

    async def delete_role(self, name: str) -> None: ...

    async def list_members(self, role: str, *, after: UUID | None = None, limit: int = PAGE) -> list[Member]:
        """Return a page of the users who have a role, by id."""
        ...

    async def add_member(self, role: str, user_id: UUID) -> None: ...

    async def remove_member(self, role: str, user_id: UUID) -> None: ...


class HttpPeople:
    """Sends the operations to a server; the API key determines the org."""

    def __init__(self, http: Http) -> None:
        self._http = http

    async def list_orgs(self, *, after: str | None = None, limit: int = PAGE) -> list[Org]:
        orgs = await self._items(Org, "/v1/orgs", {"limit": limit})
        return [org for org in orgs if after is None or org.slug > after]

    async def get_org(self, slug: str) -> Org:
        return read(Org, await self._http.request("GET", f"/v1/orgs/{_part(slug)}"))

    async def update_org(self, slug: str, *, name: str | None, settings: JsonObject | None) -> None:
        await self._http.request("PATCH", f"/v1/orgs/{_part(slug)}", dump({"name": name, "settings": settings}))

    async def list_users(self, *, before: UUID | None = None, limit: int = PAGE, name: str | None = None) -> list[User]:
        return await self._items(User, "/v1/users", {"before": before, "limit": limit, "name": name})

    async def get_user(self, user_id: UUID) -> User:
        return read(User, await self._http.request("GET", f"/v1/users/{user_id}"))

    async def put_user(self, user: NewUser) -> UUID:
        return UUID((await self._http.request("POST", "/v1/users", dump(vars(user))))["id"])

    async def set_user_role(self, user_id: UUID, platform_role: str) -> None:
        await self._http.request("PATCH", f"/v1/users/{user_id}", dump({"platform_role": platform_role}))

    async def disable_user(self, user_id: UUID) -> None:
        await self._http.request("PATCH", f"/v1/users/{user_id}", dump({"disabled": True}))

    async def enable_user(self, user_id: UUID) -> None:
        await self._http.request("PATCH", f"/v1/users/{user_id}", dump({"disabled": False}))

    async def list_roles(self, *, after: str | None = None, limit: int = PAGE) -> list[OrgRole]:
        return await self._items(OrgRole, "/v1/roles", {"after": after, "limit": limit})

    async def create_role(self, name: str, *, description: str | None, display_name: str | None) -> UUID:
        body = dump({"name": name, "description": description, "display_name": display_name})
        return UUID((await self._http.request("POST", "/v1/roles", body))["id"])

    async def delete_role(self, name: str) -> None:
        await self._http.request("DELETE", f"/v1/roles/{_part(name)}")

    async def list_members(self, role: str, *, after: UUID | None = None, limit: int = PAGE) -> list[Member]:
        return await self._items(Member, f"/v1/roles/{_part(role)}/members", {"after": after, "limit": limit})

    async def add_member(self, role: str, user_id: UUID) -> None:
        await self._http.request("PUT", f"/v1/roles/{_part(role)}/members/{user_id}")

    async def remove_member(self, role: str, user_id: UUID) -> None:
        await self._http.request("DELETE", f"/v1/roles/{_part(role)}/members/{user_id}")

    async def _items(self, kind: type[T], path: str, page: Mapping[str, object]) -> list[T]:
        params = {name: value for name, value in page.items() if value is not None}
        return read(list[kind], (await self._http.request("GET", path, params=params))["items"])


def _part(name: str) -> str:
    return quote(name, safe="")
