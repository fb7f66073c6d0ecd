"""Orgs and their resource groups: one coroutine per public function in sql/identity/."""

from typing import Any
from uuid import UUID

from tenuto.db.call import Conn, call_value, call_void


async def create_org(conn: Conn, *, slug: str, name: str | None = None, settings: dict[str, Any] | None = None) -> UUID:
    return await call_value(conn, "create_org", slug=slug, name=name, settings=settings)


async def find_org(conn: Conn, *, slug: str) -> UUID:
    return await call_value(conn, "find_org", slug=slug)


async def set_org_settings(conn: Conn, *, org_id: UUID, settings: dict[str, Any]) -> None:
    await call_void(conn, "set_org_settings", org_id=org_id, settings=settings)


async def set_resource_group(
    conn: Conn, *, org_id: UUID, external_id: str, weight: int | None = None, quota: int | None = None
) -> UUID:
    return await call_value(
        conn, "set_resource_group", org_id=org_id, external_id=external_id, weight=weight, quota=quota
    )
