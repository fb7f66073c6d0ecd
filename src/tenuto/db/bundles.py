"""Bundles: one coroutine per public function in sql/deploys/."""

from uuid import UUID

from tenuto.db.connection.call import Conn, call, call_one, call_value, call_values, call_void
from tenuto.model.bundles import BundleFile, StoredBundle, WholeBundle
from tenuto.model.json import JsonObject


async def put_bundle(
    conn: Conn, *, org_id: UUID, sha256: str, manifest: JsonObject, size: int, created_by: str
) -> bool:
    return await call_value(
        conn, "put_bundle", org_id=org_id, sha256=sha256, manifest=manifest, size=size, created_by=created_by
    )


async def put_bundle_part(conn: Conn, *, org_id: UUID, sha256: str, no: int, data: bytes) -> None:
    await call_void(conn, "put_bundle_part", org_id=org_id, sha256=sha256, no=no, data=data)


async def get_bundle(conn: Conn, *, org_id: UUID, sha256: str) -> WholeBundle:
    return await call_one(conn, "get_bundle", WholeBundle, org_id=org_id, sha256=sha256)


async def get_bundle_part(conn: Conn, *, org_id: UUID, sha256: str, no: int) -> bytes | None:
    return await call_value(conn, "get_bundle_part", org_id=org_id, sha256=sha256, no=no)


async def find_bundle(conn: Conn, *, org_id: UUID, type: str, sha256: str | None = None) -> BundleFile:
    return await call_one(conn, "find_bundle", BundleFile, org_id=org_id, type=type, sha256=sha256)


async def list_bundles(
    conn: Conn, *, org_id: UUID, before: UUID | None = None, limit: int | None = None
) -> list[StoredBundle]:
    return await call(conn, "list_bundles", StoredBundle, org_id=org_id, before=before, limit=limit)


async def list_bundle_types(conn: Conn, *, org_id: UUID) -> list[str]:
    return await call_values(conn, "list_bundle_types", org_id=org_id)


async def delete_bundle(conn: Conn, *, org_id: UUID, sha256: str) -> None:
    await call_void(conn, "delete_bundle", org_id=org_id, sha256=sha256)
