"""Backfills, invalidations, reconciliation: one coroutine per public function of sql/reactions/ that users call."""

from dataclasses import replace
from datetime import datetime
from typing import cast
from uuid import UUID

from tenuto.db.connection.call import Conn, call, call_one, call_value, call_void, json_or_default
from tenuto.model.backfills import Backfill, BackfillPreview, BackfillTask
from tenuto.model.invalidations import Invalidation, InvalidationConsumer
from tenuto.model.json import JsonObject
from tenuto.model.reconciliation import MissingPartition, Reconciliation
from tenuto.model.statuses import Downstream, MissingState, Reprocess


async def start_backfill(
    conn: Conn,
    *,
    org_id: UUID,
    dataset: str,
    first: str | None = None,
    last: str | None = None,
    partitions: list[str] | None = None,
    reprocess: Reprocess | None = None,
    downstream: Downstream | None = None,
    concurrency: int | None = None,
    descending: bool | None = None,
    reason: str | None = None,
    actor: str | None = None,
) -> UUID:
    return await call_value(
        conn,
        "start_backfill",
        org_id=org_id,
        dataset=dataset,
        first=first,
        last=last,
        partitions=partitions,
        reprocess=reprocess,
        downstream=downstream,
        concurrency=concurrency,
        descending=descending,
        reason=reason,
        actor=actor,
    )


async def preview_backfill(
    conn: Conn,
    *,
    org_id: UUID,
    dataset: str,
    first: str | None = None,
    last: str | None = None,
    partitions: list[str] | None = None,
    reprocess: Reprocess | None = None,
    downstream: Downstream | None = None,
    concurrency: int | None = None,
    descending: bool | None = None,
    reason: str | None = None,
) -> BackfillPreview:
    return await call_one(
        conn,
        "preview_backfill",
        BackfillPreview,
        org_id=org_id,
        dataset=dataset,
        first=first,
        last=last,
        partitions=partitions,
        reprocess=reprocess,
        downstream=downstream,
        concurrency=concurrency,
        descending=descending,
        reason=reason,
    )


async def list_backfills(
    conn: Conn,
    *,
    org_id: UUID,
    dataset: str | None = None,
    status: str | None = None,
    before: UUID | None = None,
    limit: int | None = None,
) -> list[Backfill]:
    return await call(
        conn, "list_backfills", Backfill, org_id=org_id, dataset=dataset, status=status, before=before, limit=limit
    )


async def get_backfill(conn: Conn, *, org_id: UUID, id: UUID) -> Backfill:
    return await call_one(conn, "get_backfill", Backfill, org_id=org_id, id=id)


async def list_backfill_tasks(
    conn: Conn, *, org_id: UUID, id: UUID, after: UUID | None = None, limit: int | None = None
) -> list[BackfillTask]:
    return await call(conn, "list_backfill_tasks", BackfillTask, org_id=org_id, id=id, after=after, limit=limit)


async def pause_backfill(conn: Conn, *, org_id: UUID, id: UUID) -> None:
    await call_void(conn, "pause_backfill", org_id=org_id, id=id)


async def resume_backfill(conn: Conn, *, org_id: UUID, id: UUID) -> None:
    await call_void(conn, "resume_backfill", org_id=org_id, id=id)


async def cancel_backfill(conn: Conn, *, org_id: UUID, id: UUID) -> None:
    await call_void(conn, "cancel_backfill", org_id=org_id, id=id)


async def invalidate_dataset(
    conn: Conn,
    *,
    org_id: UUID,
    dataset: str,
    reason: str,
    first: str | None = None,
    last: str | None = None,
    partitions: list[str] | None = None,
    row_filter: JsonObject | None = None,
    actor: str | None = None,
) -> UUID:
    return await call_value(
        conn,
        "invalidate_dataset",
        org_id=org_id,
        dataset=dataset,
        reason=reason,
        first=first,
        last=last,
        partitions=partitions,
        row_filter=json_or_default(row_filter),
        actor=actor,
    )


async def list_invalidations(
    conn: Conn,
    *,
    org_id: UUID,
    dataset: str | None = None,
    id: UUID | None = None,
    before: UUID | None = None,
    limit: int | None = None,
) -> list[Invalidation]:
    rows = await call(
        conn, "list_invalidations", Invalidation, org_id=org_id, dataset=dataset, id=id, before=before, limit=limit
    )
    return [replace(row, consumers=[_consumer(cast("JsonObject", job)) for job in row.consumers]) for row in rows]


async def reconcile_dataset(
    conn: Conn, *, org_id: UUID, dataset: str, after: str | None = None, limit: int | None = None
) -> Reconciliation:
    found = await call_one(
        conn, "reconcile_dataset", Reconciliation, org_id=org_id, dataset=dataset, after=after, limit=limit
    )
    return replace(found, missing=[_missing(cast("JsonObject", item)) for item in found.missing])


def _missing(item: JsonObject) -> MissingPartition:
    """Convert one of the partitions that reconcile_dataset returns as JSON."""
    task_id = item["task_id"]
    return MissingPartition(
        partition=cast("str | None", item["partition"]),
        input=str(item["input"]),
        input_partition=cast("str | None", item["input_partition"]),
        state=cast("MissingState", item["state"]),
        reason=str(item["reason"]),
        task_id=None if task_id is None else UUID(str(task_id)),
        is_fixable=bool(item["is_fixable"]),
    )


def _consumer(job: JsonObject) -> InvalidationConsumer:
    """Convert one of the jobs that list_invalidations returns as JSON."""
    done_at = job["done_at"]
    return InvalidationConsumer(
        job=cast("str | None", job["job"]),
        direct=bool(job["direct"]),
        completed=cast("int", job["completed"]),
        failed=cast("int", job["failed"]),
        done_at=None if done_at is None else datetime.fromisoformat(str(done_at)),
    )
