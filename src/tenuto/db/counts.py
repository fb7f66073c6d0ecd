"""Counts runs and tasks that match a filter, and the activity of task types: one coroutine per public function."""

from datetime import datetime
from uuid import UUID

from tenuto.db.connection.call import Conn, call, call_one, json_or_default
from tenuto.model.counts import ActivityRate, Count
from tenuto.model.json import JsonObject
from tenuto.model.queues import TypeActivity


async def count_runs(
    conn: Conn,
    *,
    org_id: UUID,
    statuses: list[str] | None = None,
    name: str | None = None,
    type: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    metadata: JsonObject | None = None,
) -> Count:
    return await call_one(
        conn,
        "count_runs",
        Count,
        org_id=org_id,
        statuses=statuses,
        name=name,
        type=type,
        since=since,
        until=until,
        metadata=json_or_default(metadata),
    )


async def count_tasks(
    conn: Conn,
    *,
    org_id: UUID,
    run_id: UUID | None = None,
    statuses: list[str] | None = None,
    queue: str | None = None,
    type: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    metadata: JsonObject | None = None,
    job: str | None = None,
) -> Count:
    return await call_one(
        conn,
        "count_tasks",
        Count,
        org_id=org_id,
        run_id=run_id,
        statuses=statuses,
        queue=queue,
        type=type,
        since=since,
        until=until,
        metadata=json_or_default(metadata),
        job=job,
    )


async def list_type_activity(conn: Conn, *, org_id: UUID, limit: int | None = None) -> list[TypeActivity]:
    return await call(conn, "list_type_activity", TypeActivity, org_id=org_id, limit=limit)


async def list_rates(
    conn: Conn, *, org_id: UUID, period: str | None = None, limit: int | None = None, type: str | None = None
) -> list[ActivityRate]:
    return await call(conn, "list_rates", ActivityRate, org_id=org_id, period=period, limit=limit, type=type)
