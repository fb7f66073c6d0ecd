"""Resource groups, users and roles: one coroutine per public function about them in sql/identity/."""

from uuid import UUID

from tenuto.db.connection.call import Conn, call, call_one, call_value, call_void
from tenuto.model.identity import AdmittedUser, FoundUser, Member, OrgRole, PrunedIdentity, ResourceGroup, User


async def set_resource_group(
    conn: Conn, *, org_id: UUID, external_id: str, weight: int | None = None, quota: int | None = None
) -> UUID:
    return await call_value(
        conn, "set_resource_group", org_id=org_id, external_id=external_id, weight=weight, quota=quota
    )


async def list_groups(
    conn: Conn, *, org_id: UUID, after: str | None = None, limit: int | None = None
) -> list[ResourceGroup]:
    return await call(conn, "list_groups", ResourceGroup, org_id=org_id, after=after, limit=limit)


async def get_group(conn: Conn, *, org_id: UUID, external_id: str) -> ResourceGroup:
    return await call_one(conn, "get_group", ResourceGroup, org_id=org_id, external_id=external_id)


async def delete_group(conn: Conn, *, org_id: UUID, external_id: str) -> None:
    await call_void(conn, "delete_group", org_id=org_id, external_id=external_id)


async def put_user(
    conn: Conn,
    *,
    org_id: UUID,
    issuer: str,
    subject: str,
    email: str | None = None,
    name: str | None = None,
    platform_role: str | None = None,
    by_key: UUID | None = None,
    by_user: UUID | None = None,
) -> UUID:
    return await call_value(
        conn,
        "put_user",
        org_id=org_id,
        issuer=issuer,
        subject=subject,
        email=email,
        name=name,
        platform_role=platform_role,
        by_key=by_key,
        by_user=by_user,
    )


async def get_user(conn: Conn, *, org_id: UUID, user_id: UUID) -> User:
    return await call_one(conn, "get_user", User, org_id=org_id, user_id=user_id)


async def find_user(conn: Conn, *, issuer: str, subject: str, org: str | None = None) -> FoundUser:
    return await call_one(conn, "find_user", FoundUser, issuer=issuer, subject=subject, org=org)


async def act_as_user(conn: Conn, *, org_id: UUID, user_id: UUID, platform_role: str) -> UUID:
    return await call_value(conn, "act_as_user", org_id=org_id, user_id=user_id, platform_role=platform_role)


async def admit_user(
    conn: Conn, *, issuer: str, subject: str, rates: list[float], bursts: list[float], org: str | None = None
) -> AdmittedUser:
    return await call_one(
        conn, "admit_user", AdmittedUser, issuer=issuer, subject=subject, org=org, rates=rates, bursts=bursts
    )


async def set_user_role(
    conn: Conn,
    *,
    org_id: UUID,
    user_id: UUID,
    platform_role: str,
    by_key: UUID | None = None,
    by_user: UUID | None = None,
) -> str:
    return await call_value(
        conn,
        "set_user_role",
        org_id=org_id,
        user_id=user_id,
        platform_role=platform_role,
        by_key=by_key,
        by_user=by_user,
    )


async def disable_user(
    conn: Conn, *, org_id: UUID, user_id: UUID, by_key: UUID | None = None, by_user: UUID | None = None
) -> None:
    await call_void(conn, "disable_user", org_id=org_id, user_id=user_id, by_key=by_key, by_user=by_user)


async def enable_user(
    conn: Conn, *, org_id: UUID, user_id: UUID, by_key: UUID | None = None, by_user: UUID | None = None
) -> None:
    await call_void(conn, "enable_user", org_id=org_id, user_id=user_id, by_key=by_key, by_user=by_user)


async def list_users(
    conn: Conn, *, org_id: UUID, before: UUID | None = None, limit: int | None = None, name: str | None = None
) -> list[User]:
    return await call(conn, "list_users", User, org_id=org_id, before=before, limit=limit, name=name)


async def create_role(
    conn: Conn, *, org_id: UUID, name: str, description: str | None = None, display_name: str | None = None
) -> UUID:
    return await call_value(
        conn, "create_role", org_id=org_id, name=name, description=description, display_name=display_name
    )


async def delete_role(conn: Conn, *, org_id: UUID, name: str) -> None:
    await call_void(conn, "delete_role", org_id=org_id, name=name)


async def list_roles(conn: Conn, *, org_id: UUID, after: str | None = None, limit: int | None = None) -> list[OrgRole]:
    return await call(conn, "list_roles", OrgRole, org_id=org_id, after=after, limit=limit)


async def add_member(conn: Conn, *, org_id: UUID, role: str, user_id: UUID) -> None:
    await call_void(conn, "add_member", org_id=org_id, role=role, user_id=user_id)


async def remove_member(conn: Conn, *, org_id: UUID, role: str, user_id: UUID) -> None:
    await call_void(conn, "remove_member", org_id=org_id, role=role, user_id=user_id)


async def list_members(
    conn: Conn, *, org_id: UUID, role: str, after: UUID | None = None, limit: int | None = None
) -> list[Member]:
    return await call(conn, "list_members", Member, org_id=org_id, role=role, after=after, limit=limit)


async def prune_identity(conn: Conn, *, limit: int | None = None, keys: list[str] | None = None) -> PrunedIdentity:
    return await call_one(conn, "prune_identity", PrunedIdentity, limit=limit, keys=keys)
