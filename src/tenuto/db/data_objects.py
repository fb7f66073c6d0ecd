"""Data objects: one coroutine per public function about them."""

from uuid import UUID

from tenuto.db.connection.call import Conn, call, call_one, call_value, call_void, json_or_default
from tenuto.model.json import Json
from tenuto.model.run_data import ObjectSummary, StoredObject


async def put_object(
    conn: Conn,
    *,
    org_id: UUID,
    type: str,
    payload: bytes | None = None,
    uri: str | None = None,
    size: int | None = None,
    checksum: str | None = None,
    metadata: Json = None,
    id: UUID | None = None,
    persisted: bool | None = None,
) -> UUID:
    return await call_value(
        conn,
        "put_object",
        org_id=org_id,
        type=type,
        payload=payload,
        uri=uri,
        size=size,
        checksum=checksum,
        metadata=json_or_default(metadata),
        id=id,
        persisted=persisted,
    )


async def list_objects(
    conn: Conn,
    *,
    org_id: UUID,
    held_by: UUID | None = None,
    group: str | None = None,
    before: UUID | None = None,
    limit: int | None = None,
) -> list[ObjectSummary]:
    return await call(
        conn, "list_objects", ObjectSummary, org_id=org_id, held_by=held_by, group=group, before=before, limit=limit
    )


async def get_object(conn: Conn, *, org_id: UUID, object_id: UUID) -> StoredObject:
    return await call_one(conn, "get_object", StoredObject, org_id=org_id, object_id=object_id)


async def delete_object(conn: Conn, *, org_id: UUID, object_id: UUID) -> str | None:
    return await call_value(conn, "delete_object", org_id=org_id, object_id=object_id)


async def place_object(
    conn: Conn, *, org_id: UUID, object_id: UUID, addresses: list[str], hard: bool | None = None
) -> None:
    await call_void(conn, "place_object", org_id=org_id, object_id=object_id, addresses=addresses, hard=hard)


async def keep_object(
    conn: Conn, *, session_id: int, token: UUID, task_id: UUID, attempt: int, object_id: UUID
) -> None:
    await call_void(
        conn, "keep_object", session_id=session_id, token=token, task_id=task_id, attempt=attempt, object_id=object_id
    )


async def reference_object(
    conn: Conn, *, org_id: UUID, object_id: UUID, holder: str, holder_id: UUID | None = None, group: str | None = None
) -> None:
    await call_void(
        conn, "reference_object", org_id=org_id, object_id=object_id, holder=holder, holder_id=holder_id, group=group
    )


async def release_object(
    conn: Conn, *, org_id: UUID, object_id: UUID, holder: str, holder_id: UUID | None = None, group: str | None = None
) -> bool:
    return await call_value(
        conn, "release_object", org_id=org_id, object_id=object_id, holder=holder, holder_id=holder_id, group=group
    )
