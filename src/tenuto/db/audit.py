"""The audit log: one coroutine per public function about it in sql/identity/."""

from datetime import datetime, timedelta
from uuid import UUID

from tenuto.db.connection.call import Conn, call, call_later, call_one, call_value, call_void
from tenuto.model.audit import AuditEntry, AuditRecord, Chain, Changes, Head, PrunedMonth, SignedHead


async def write_audit(
    conn: Conn,
    *,
    org_id: UUID,
    entity: str,
    entity_id: str,
    action: str,
    actor_kind: str,
    actor_id: str,
    changes: Changes | None = None,
    ip: str | None = None,
    user_agent: str | None = None,
    request_id: str | None = None,
) -> None:
    await call_later(
        conn,
        "write_audit",
        org_id=org_id,
        entity=entity,
        entity_id=entity_id,
        action=action,
        changes=changes,
        actor_kind=actor_kind,
        actor_id=actor_id,
        ip=ip,
        user_agent=user_agent,
        request_id=request_id,
    )


async def list_audit(
    conn: Conn,
    *,
    org_id: UUID,
    entity: str | None = None,
    entity_id: str | None = None,
    action: str | None = None,
    actor_id: str | None = None,
    before: UUID | None = None,
    limit: int | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    ip: str | None = None,
) -> list[AuditEntry]:
    return await call(
        conn,
        "list_audit",
        AuditEntry,
        org_id=org_id,
        entity=entity,
        entity_id=entity_id,
        action=action,
        actor_id=actor_id,
        before=before,
        limit=limit,
        since=since,
        until=until,
        ip=ip,
    )


async def seal_audit(conn: Conn, *, limit: int | None = None, keys: list[str] | None = None) -> int:
    return await call_value(conn, "seal_audit", limit=limit, keys=keys)


async def read_audit(
    conn: Conn, *, org_id: UUID, after: int | None = None, after_id: UUID | None = None, limit: int | None = None
) -> list[AuditRecord]:
    return await call(conn, "read_audit", AuditRecord, org_id=org_id, after=after, after_id=after_id, limit=limit)


async def get_chain(conn: Conn, *, org_id: UUID) -> Chain:
    return await call_one(conn, "get_chain", Chain, org_id=org_id)


async def list_due_heads(
    conn: Conn, *, every: timedelta | None = None, limit: int | None = None, keys: list[str] | None = None
) -> list[Head]:
    return await call(conn, "list_due_heads", Head, every=every, limit=limit, keys=keys)


async def record_head(
    conn: Conn, *, org_id: UUID, seq: int, hash: bytes, signed_at: datetime, signing_key_id: str, signature: bytes
) -> None:
    await call_void(
        conn,
        "record_head",
        org_id=org_id,
        seq=seq,
        hash=hash,
        signed_at=signed_at,
        signing_key_id=signing_key_id,
        signature=signature,
    )


async def list_heads(
    conn: Conn, *, org_id: UUID, before: int | None = None, limit: int | None = None
) -> list[SignedHead]:
    return await call(conn, "list_heads", SignedHead, org_id=org_id, before=before, limit=limit)


async def prune_audit(conn: Conn, *, keep: timedelta, actor_id: str, dry_run: bool | None = None) -> list[PrunedMonth]:
    return await call(conn, "prune_audit", PrunedMonth, keep=keep, actor_id=actor_id, dry_run=dry_run)
