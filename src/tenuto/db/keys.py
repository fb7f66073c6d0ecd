"""API keys, worker keys and signing keys: one coroutine per public function about them in sql/identity/. The functions
that check a worker key are in remote_workers.py."""

from datetime import datetime, timedelta
from uuid import UUID

from tenuto.db.connection.call import Conn, call, call_one, call_value, call_void
from tenuto.model.identity import (
    AdmittedApiKey,
    ApiKeyInfo,
    FoundApiKey,
    ImportedKey,
    PublicSigningKey,
    StoredSigningKey,
    WorkerKeyInfo,
)
from tenuto.model.json import JsonObject


async def create_api_key(
    conn: Conn,
    *,
    org_id: UUID,
    key_id: str,
    hash: bytes,
    name: str,
    permissions: list[str],
    created_by: str,
    expires_at: datetime | None = None,
    pepper_version: int | None = None,
    by_key: UUID | None = None,
) -> UUID:
    return await call_value(
        conn,
        "create_api_key",
        org_id=org_id,
        key_id=key_id,
        hash=hash,
        pepper_version=pepper_version,
        expires_at=expires_at,
        name=name,
        permissions=permissions,
        created_by=created_by,
        by_key=by_key,
    )


async def find_api_key(conn: Conn, *, key_id: str, hashes: list[bytes]) -> FoundApiKey:
    return await call_one(conn, "find_api_key", FoundApiKey, key_id=key_id, hashes=hashes)


async def admit_api_key(
    conn: Conn, *, key_id: str, hashes: list[bytes], rates: list[float], bursts: list[float], cost: float | None = None
) -> AdmittedApiKey:
    return await call_one(
        conn, "admit_api_key", AdmittedApiKey, key_id=key_id, hashes=hashes, rates=rates, bursts=bursts, cost=cost
    )


async def act_as_api_key(conn: Conn, *, key_id: str, hashes: list[bytes], permission: str | None = None) -> UUID:
    return await call_value(conn, "act_as_api_key", key_id=key_id, hashes=hashes, permission=permission)


async def revoke_api_key(conn: Conn, *, org_id: UUID, id: UUID, by_key: UUID | None = None) -> bool:
    return await call_value(conn, "revoke_api_key", org_id=org_id, id=id, by_key=by_key)


async def rotate_api_key(
    conn: Conn,
    *,
    org_id: UUID,
    id: UUID,
    key_id: str,
    hash: bytes,
    created_by: str,
    overlap: timedelta | None = None,
    pepper_version: int | None = None,
    by_key: UUID | None = None,
) -> UUID:
    return await call_value(
        conn,
        "rotate_api_key",
        org_id=org_id,
        id=id,
        key_id=key_id,
        hash=hash,
        pepper_version=pepper_version,
        by_key=by_key,
        created_by=created_by,
        overlap=overlap,
    )


async def list_api_keys(
    conn: Conn, *, org_id: UUID, before: UUID | None = None, limit: int | None = None, key_id: str | None = None
) -> list[ApiKeyInfo]:
    return await call(conn, "list_api_keys", ApiKeyInfo, org_id=org_id, before=before, limit=limit, key_id=key_id)


async def get_api_key(conn: Conn, *, org_id: UUID, key_id: str | None = None, id: UUID | None = None) -> ApiKeyInfo:
    return await call_one(conn, "get_api_key", ApiKeyInfo, org_id=org_id, key_id=key_id, id=id)


async def update_api_key(
    conn: Conn,
    *,
    org_id: UUID,
    id: UUID,
    name: str | None = None,
    active: bool | None = None,
    expires_at: datetime | None = None,
    never_expires: bool | None = None,
    by_key: UUID | None = None,
) -> None:
    await call_void(
        conn,
        "update_api_key",
        org_id=org_id,
        id=id,
        name=name,
        active=active,
        expires_at=expires_at,
        never_expires=never_expires,
        by_key=by_key,
    )


async def import_api_key(
    conn: Conn,
    *,
    org_id: UUID,
    prefix: str,
    bcrypt: str,
    name: str,
    permissions: list[str],
    created_by: str,
    expires_at: datetime | None = None,
) -> UUID:
    return await call_value(
        conn,
        "import_api_key",
        org_id=org_id,
        prefix=prefix,
        bcrypt=bcrypt,
        name=name,
        permissions=permissions,
        created_by=created_by,
        expires_at=expires_at,
    )


async def find_imported_keys(conn: Conn, *, prefixes: list[str], before: UUID | None = None) -> list[ImportedKey]:
    return await call(conn, "find_imported_keys", ImportedKey, prefixes=prefixes, before=before)


async def adopt_api_key(
    conn: Conn, *, org_id: UUID, id: UUID, key_id: str, hash: bytes, pepper_version: int | None = None
) -> None:
    await call_void(
        conn, "adopt_api_key", org_id=org_id, id=id, key_id=key_id, hash=hash, pepper_version=pepper_version
    )


async def create_worker_key(
    conn: Conn,
    *,
    org_id: UUID,
    key_id: str,
    hash: bytes,
    name: str,
    queues: list[str],
    created_by: str,
    expires_at: datetime | None = None,
    pepper_version: int | None = None,
    by_key: UUID | None = None,
) -> UUID:
    return await call_value(
        conn,
        "create_worker_key",
        org_id=org_id,
        key_id=key_id,
        hash=hash,
        pepper_version=pepper_version,
        expires_at=expires_at,
        name=name,
        queues=queues,
        created_by=created_by,
        by_key=by_key,
    )


async def revoke_worker_key(conn: Conn, *, org_id: UUID, id: UUID, by_key: UUID | None = None) -> bool:
    return await call_value(conn, "revoke_worker_key", org_id=org_id, id=id, by_key=by_key)


async def rotate_worker_key(
    conn: Conn,
    *,
    org_id: UUID,
    id: UUID,
    key_id: str,
    hash: bytes,
    created_by: str,
    overlap: timedelta | None = None,
    pepper_version: int | None = None,
    by_key: UUID | None = None,
) -> UUID:
    return await call_value(
        conn,
        "rotate_worker_key",
        org_id=org_id,
        id=id,
        key_id=key_id,
        hash=hash,
        pepper_version=pepper_version,
        by_key=by_key,
        created_by=created_by,
        overlap=overlap,
    )


async def list_worker_keys(
    conn: Conn, *, org_id: UUID, before: UUID | None = None, limit: int | None = None, key_id: str | None = None
) -> list[WorkerKeyInfo]:
    return await call(conn, "list_worker_keys", WorkerKeyInfo, org_id=org_id, before=before, limit=limit, key_id=key_id)


async def get_worker_key(
    conn: Conn, *, org_id: UUID, key_id: str | None = None, id: UUID | None = None
) -> WorkerKeyInfo:
    return await call_one(conn, "get_worker_key", WorkerKeyInfo, org_id=org_id, key_id=key_id, id=id)


async def add_signing_key(
    conn: Conn, *, id: str, public_key: JsonObject, private_key: bytes, younger_than: timedelta | None = None
) -> bool:
    return await call_value(
        conn, "add_signing_key", id=id, public_key=public_key, private_key=private_key, younger_than=younger_than
    )


async def find_signing_key(conn: Conn) -> StoredSigningKey | None:
    rows = await call(conn, "find_signing_key", StoredSigningKey)
    return rows[0] if rows else None


async def list_signing_keys(conn: Conn) -> list[PublicSigningKey]:
    return await call(conn, "list_signing_keys", PublicSigningKey)


async def retire_signing_key(conn: Conn, *, id: str) -> None:
    await call_void(conn, "retire_signing_key", id=id)
