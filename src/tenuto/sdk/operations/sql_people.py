"""Orgs, users and roles on the database: calls the SQL functions directly."""

from uuid import UUID

from tenuto.db import identity, orgs
from tenuto.db.connection.pool import ConnectionPool
from tenuto.model.errors import NotFound
from tenuto.model.identity import Member, OrgRole, User
from tenuto.model.json import JsonObject
from tenuto.model.orgs import Org
from tenuto.sdk.client.transport import PAGE
from tenuto.sdk.operations.people import NewUser


class SqlPeople:
    """All orgs, and the users and roles of one of them."""

    def __init__(self, pool: ConnectionPool, org_id: UUID) -> None:
        self._pool, self._org_id = pool, org_id

    async def list_orgs(self, *, after: str | None = None, limit: int = PAGE) -> list[Org]:
        return await self._pool.call(orgs.list_orgs, after=after, limit=limit)

    async def get_org(self, slug: str) -> Org:
        org_id, after = await self._pool.call(orgs.find_org, slug=slug), None
        while page := await self.list_orgs(after=after, limit=200):
            for org in page:
                if org.id == org_id:
                    return org
            after = page[-1].slug
        raise NotFound(f"no org {slug}", "`tenuto orgs list` shows the orgs")

    async def update_org(self, slug: str, *, name: str | None, settings: JsonObject | None) -> None:
        org_id = await self._pool.call(orgs.find_org, slug=slug)
        await self._pool.call(orgs.update_org, org_id=org_id, name=name, settings=settings)

    async def list_users(self, *, before: UUID | None = None, limit: int = PAGE, name: str | None = None) -> list[User]:
        return await self._pool.call(identity.list_users, org_id=self._org_id, before=before, limit=limit, name=name)

    async def get_user(self, user_id: UUID) -> User:
        return await self._pool.call(identity.get_user, org_id=self._org_id, user_id=user_id)

    async def put_user(self, user: NewUser) -> UUID:
        return await self._pool.call(
            identity.put_user,
            org_id=self._org_id,
            issuer=user.issuer,
            subject=user.subject,
            platform_role=user.platform_role,
            email=user.email,
            name=user.name,
        )

    async def set_user_role(self, user_id: UUID, platform_role: str) -> None:
        await self._pool.call(identity.set_user_role, org_id=self._org_id, user_id=user_id, platform_role=platform_role)

    async def disable_user(self, user_id: UUID) -> None:
        await self._pool.call(identity.disable_user, org_id=self._org_id, user_id=user_id)

    async def enable_user(self, user_id: UUID) -> None:
        await self._pool.call(identity.enable_user, org_id=self._org_id, user_id=user_id)

    async def list_roles(self, *, after: str | None = None, limit: int = PAGE) -> list[OrgRole]:
        return await self._pool.call(identity.list_roles, org_id=self._org_id, after=after, limit=limit)

    async def create_role(self, name: str, *, description: str | None, display_name: str | None) -> UUID:
        return await self._pool.call(
            identity.create_role, org_id=self._org_id, name=name, description=description, display_name=display_name
        )

    async def delete_role(self, name: str) -> None:
        await self._pool.call(identity.delete_role, org_id=self._org_id, name=name)

    async def list_members(self, role: str, *, after: UUID | None = None, limit: int = PAGE) -> list[Member]:
        return await self._pool.call(identity.list_members, org_id=self._org_id, role=role, after=after, limit=limit)

    async def add_member(self, role: str, user_id: UUID) -> None:
        await self._pool.call(identity.add_member, org_id=self._org_id, role=role, user_id=user_id)

    async def remove_member(self, role: str, user_id: UUID) -> None:
        await self._pool.call(identity.remove_member, org_id=self._org_id, role=role, user_id=user_id)
