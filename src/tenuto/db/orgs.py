"""Orgs: one coroutine per public function about them in sql/identity/. Every process reads its org, so this module
imports little to load fast."""

from uuid import UUID

from tenuto.db.connection.call import Conn, call, call_value, call_void
from tenuto.model.json import JsonObject
from tenuto.model.orgs import Org


async def create_org(conn: Conn, *, slug: str, name: str | None = None, settings: JsonObject | None = None) -> UUID:
    return await call_value(conn, "create_org", slug=slug, name=name, settings=settings)


async def find_org(conn: Conn, *, slug: str) -> UUID:
    return await call_value(conn, "find_org", slug=slug)


async def list_orgs(conn: Conn, *, after: str | None = None, limit: int | None = None) -> list[Org]:
    return await call(conn, "list_orgs", Org, after=after, limit=limit)


async def update_org(conn: Conn, *, org_id: UUID, name: str | None = None, settings: JsonObject | None = None) -> None:
    await call_void(conn, "update_org", org_id=org_id, name=name, settings=settings)


async def set_org_settings(conn: Conn, *, org_id: UUID, settings: JsonObject) -> None:
    await call_void(conn, "set_org_settings", org_id=org_id, settings=settings)
