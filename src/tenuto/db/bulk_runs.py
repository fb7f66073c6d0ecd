"""Bulk operations on runs: one coroutine per public function in sql/runs/bulk/. Each call handles a bounded number of
runs or tasks."""

from datetime import datetime
from uuid import UUID

from tenuto.db.connection.call import Conn, call_one
from tenuto.model.bulk_runs import BulkPiece, PurgePiece


async def retry_runs(
    conn: Conn,
    *,
    org_id: UUID,
    status: str | None = None,
    name: str | None = None,
    type: str | None = None,
    since: datetime | None = None,
    before: UUID | None = None,
    limit: int | None = None,
    reuse: bool | None = None,
    dry_run: bool | None = None,
) -> BulkPiece:
    return await call_one(
        conn,
        "retry_runs",
        BulkPiece,
        org_id=org_id,
        status=status,
        name=name,
        type=type,
        since=since,
        before=before,
        limit=limit,
        reuse=reuse,
        dry_run=dry_run,
    )


async def cancel_runs(
    conn: Conn,
    *,
    org_id: UUID,
    status: str | None = None,
    name: str | None = None,
    type: str | None = None,
    since: datetime | None = None,
    reason: str | None = None,
    before: UUID | None = None,
    limit: int | None = None,
    dry_run: bool | None = None,
) -> BulkPiece:
    return await call_one(
        conn,
        "cancel_runs",
        BulkPiece,
        org_id=org_id,
        status=status,
        name=name,
        type=type,
        since=since,
        reason=reason,
        before=before,
        limit=limit,
        dry_run=dry_run,
    )


async def delete_runs(
    conn: Conn,
    *,
    org_id: UUID,
    status: str | None = None,
    name: str | None = None,
    type: str | None = None,
    since: datetime | None = None,
    before: UUID | None = None,
    limit: int | None = None,
    dry_run: bool | None = None,
) -> BulkPiece:
    return await call_one(
        conn,
        "delete_runs",
        BulkPiece,
        org_id=org_id,
        status=status,
        name=name,
        type=type,
        since=since,
        before=before,
        limit=limit,
        dry_run=dry_run,
    )


async def purge_queue(
    conn: Conn,
    *,
    org_id: UUID,
    queue: str,
    reason: str | None = None,
    before: UUID | None = None,
    limit: int | None = None,
    dry_run: bool | None = None,
) -> PurgePiece:
    return await call_one(
        conn,
        "purge_queue",
        PurgePiece,
        org_id=org_id,
        queue=queue,
        reason=reason,
        before=before,
        limit=limit,
        dry_run=dry_run,
    )
