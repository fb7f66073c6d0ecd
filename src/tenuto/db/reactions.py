"""Schedules: one coroutine per public function in sql/reactions/."""

from datetime import datetime
from uuid import UUID

from tenuto.db.connection.call import Conn, call, call_one, call_value, call_void, json_or_default, json_value
from tenuto.model.json import Json, JsonObject
from tenuto.model.schedules import DueSchedule, FiredSchedule, Schedule, ScheduleChange


async def put_schedule(
    conn: Conn,
    *,
    org_id: UUID,
    name: str,
    kind: JsonObject,
    cron: str,
    next_at: datetime,
    input: Json = None,
    details: JsonObject | None = None,
    timezone: str | None = None,
    catch_up: str | None = None,
    jitter_seconds: float | None = None,
) -> Schedule:
    return await call_one(
        conn,
        "put_schedule",
        Schedule,
        org_id=org_id,
        name=name,
        kind=kind,
        cron=cron,
        next_at=next_at,
        input=json_or_default(input),
        details=details,
        timezone=timezone,
        catch_up=catch_up,
        jitter_seconds=jitter_seconds,
    )


async def delete_schedule(conn: Conn, *, org_id: UUID, name: str) -> None:
    await call_void(conn, "delete_schedule", org_id=org_id, name=name)


async def pause_schedule(conn: Conn, *, org_id: UUID, name: str) -> None:
    await call_void(conn, "pause_schedule", org_id=org_id, name=name)


async def resume_schedule(conn: Conn, *, org_id: UUID, name: str, next_at: datetime, cron: str, timezone: str) -> None:
    await call_void(conn, "resume_schedule", org_id=org_id, name=name, next_at=next_at, cron=cron, timezone=timezone)


async def fire_schedule_now(conn: Conn, *, org_id: UUID, name: str) -> UUID:
    return await call_value(conn, "fire_schedule_now", org_id=org_id, name=name)


async def get_schedule(conn: Conn, *, org_id: UUID, name: str) -> Schedule:
    return await call_one(conn, "get_schedule", Schedule, org_id=org_id, name=name)


async def update_schedule(
    conn: Conn,
    *,
    org_id: UUID,
    name: str,
    old_cron: str,
    old_timezone: str,
    next_at: datetime,
    cron: str | None = None,
    timezone: str | None = None,
    catch_up: str | None = None,
    jitter_seconds: float | None = None,
    input: Json = None,
    metadata: JsonObject | None = None,
) -> Schedule:
    return await call_one(
        conn,
        "update_schedule",
        Schedule,
        org_id=org_id,
        name=name,
        old_cron=old_cron,
        old_timezone=old_timezone,
        next_at=next_at,
        cron=cron,
        timezone=timezone,
        catch_up=catch_up,
        jitter_seconds=jitter_seconds,
        input=json_or_default(input),
        metadata=metadata,
    )


async def declare_schedules(
    conn: Conn, *, org_id: UUID, types: list[str], schedules: list[JsonObject], queues: list[str] | None = None
) -> list[ScheduleChange]:
    return await call(
        conn,
        "declare_schedules",
        ScheduleChange,
        org_id=org_id,
        types=types,
        schedules=json_value(schedules),
        queues=queues,
    )


async def list_schedules(
    conn: Conn, *, org_id: UUID, after: str | None = None, limit: int | None = None
) -> list[Schedule]:
    return await call(conn, "list_schedules", Schedule, org_id=org_id, after=after, limit=limit)


async def list_due_schedules(
    conn: Conn, *, limit: int | None = None, keys: list[str] | None = None
) -> list[DueSchedule]:
    return await call(conn, "list_due_schedules", DueSchedule, limit=limit, keys=keys)


async def fire_schedules(
    conn: Conn,
    *,
    org_ids: list[UUID],
    names: list[str],
    expected: list[datetime],
    fire_times: list[list[str]],
    next_at: list[datetime],
) -> list[FiredSchedule]:
    return await call(
        conn,
        "fire_schedules",
        FiredSchedule,
        org_ids=org_ids,
        names=names,
        expected=expected,
        fire_times=json_value(fire_times),
        next_at=next_at,
    )


async def fire_schedule(
    conn: Conn, *, org_id: UUID, name: str, expected: datetime, fire_times: list[datetime], next_at: datetime
) -> list[UUID] | None:
    return await call_value(
        conn, "fire_schedule", org_id=org_id, name=name, expected=expected, fire_times=fire_times, next_at=next_at
    )
