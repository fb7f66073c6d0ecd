"""The functions that a worker calls for attempts: claim, keep alive, end. Every call passes the fences of its
attempts."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any
from uuid import UUID

from tenuto.db.connection.call import Conn, call, call_one, call_void, json_array, json_or_default
from tenuto.model.json import Json, JsonObject
from tenuto.model.tasks import (
    Claimed,
    ClaimResult,
    ExchangeResult,
    FailureCount,
    HeartbeatResult,
    InputPart,
    ProgressResult,
    ReportResult,
    Route,
)


async def resolve_routes(
    conn: Conn, *, session_id: int, queues: list[str] | None = None, types: list[str] | None = None
) -> list[Route]:
    return await call(conn, "resolve_routes", Route, session_id=session_id, queues=queues, types=types)


async def claim_tasks(
    conn: Conn, *, session_id: int, token: UUID, claim_no: int, routes: list[int], limit: int, group: str | None = None
) -> list[Claimed]:
    return await call(
        conn,
        "claim_tasks",
        Claimed,
        session_id=session_id,
        token=token,
        claim_no=claim_no,
        routes=routes,
        limit=limit,
        group=group,
    )


async def claim_task(conn: Conn, *, session_id: int, token: UUID, claim_no: int, task_id: UUID) -> ClaimResult:
    row = await call_one(
        conn,
        "claim_task",
        dict[str, Any],
        columns="result, (task).*",
        session_id=session_id,
        token=token,
        claim_no=claim_no,
        task_id=task_id,
    )
    return ClaimResult(row["result"], _claimed(row) if row["task_id"] else None)


def _claimed(row: Mapping[str, Any]) -> Claimed:
    return Claimed(*(row[column.name] for column in fields(Claimed)))


async def get_failures(conn: Conn, *, org_id: UUID, task_id: UUID) -> FailureCount:
    return await call_one(conn, "get_failures", FailureCount, org_id=org_id, task_id=task_id)


async def get_inputs(
    conn: Conn, *, session_id: int, token: UUID, task_id: UUID, attempt: int, first: int | None = None
) -> list[InputPart]:
    return await call(
        conn, "get_inputs", InputPart, session_id=session_id, token=token, task_id=task_id, attempt=attempt, first=first
    )


async def complete_tasks(
    conn: Conn,
    *,
    session_id: int,
    token: UUID,
    task_ids: list[UUID],
    attempts: list[int],
    outputs: Sequence[Json] | None = None,
    effects: list[JsonObject] | None = None,
    published: Sequence[list[JsonObject] | None] | None = None,
) -> list[ReportResult]:
    return await call(
        conn,
        "complete_tasks",
        ReportResult,
        session_id=session_id,
        token=token,
        task_ids=task_ids,
        attempts=attempts,
        outputs=json_array(outputs) if outputs is not None else None,
        effects=json_or_default(effects),
        published=json_array(published) if published is not None else None,
    )


async def complete_and_claim(
    conn: Conn,
    *,
    session_id: int,
    token: UUID,
    task_ids: list[UUID],
    attempts: list[int],
    outputs: Sequence[Json],
    claim_no: int,
    routes: list[int],
    limit: int,
    effects: list[JsonObject] | None = None,
    group: str | None = None,
    published: Sequence[list[JsonObject] | None] | None = None,
) -> ExchangeResult:
    rows = await call(
        conn,
        "complete_and_claim",
        dict[str, Any],
        session_id=session_id,
        token=token,
        task_ids=task_ids,
        attempts=attempts,
        outputs=json_array(outputs),
        claim_no=claim_no,
        routes=routes,
        limit=limit,
        effects=json_or_default(effects),
        group=group,
        published=json_array(published) if published is not None else None,
    )
    return ExchangeResult(
        [ReportResult(row["task_id"], row["attempt"], row["result"]) for row in rows if row["result"]],
        [_claimed(row) for row in rows if not row["result"]],
    )


async def fail_tasks(
    conn: Conn,
    *,
    session_id: int,
    token: UUID,
    task_ids: list[UUID],
    attempts: list[int],
    errors: Sequence[Json],
    retries: list[float | None] | None = None,
) -> list[ReportResult]:
    return await call(
        conn,
        "fail_tasks",
        ReportResult,
        session_id=session_id,
        token=token,
        task_ids=task_ids,
        attempts=attempts,
        errors=json_array(errors),
        retries=retries,
    )


async def lose_tasks(
    conn: Conn, *, session_id: int, token: UUID, task_ids: list[UUID], attempts: list[int], errors: Sequence[Json]
) -> list[ReportResult]:
    return await call(
        conn,
        "lose_tasks",
        ReportResult,
        session_id=session_id,
        token=token,
        task_ids=task_ids,
        attempts=attempts,
        errors=json_array(errors),
    )


async def snooze_tasks(
    conn: Conn, *, session_id: int, token: UUID, task_ids: list[UUID], attempts: list[int], seconds: list[float]
) -> list[ReportResult]:
    return await call(
        conn,
        "snooze_tasks",
        ReportResult,
        session_id=session_id,
        token=token,
        task_ids=task_ids,
        attempts=attempts,
        seconds=seconds,
    )


async def interrupt_tasks(
    conn: Conn, *, session_id: int, token: UUID, task_ids: list[UUID], attempts: list[int]
) -> list[ReportResult]:
    return await call(
        conn, "interrupt_tasks", ReportResult, session_id=session_id, token=token, task_ids=task_ids, attempts=attempts
    )


async def wait_tasks(
    conn: Conn, *, session_id: int, token: UUID, task_ids: list[UUID], attempts: list[int], waits: list[JsonObject]
) -> list[ReportResult]:
    return await call(
        conn,
        "wait_tasks",
        ReportResult,
        session_id=session_id,
        token=token,
        task_ids=task_ids,
        attempts=attempts,
        waits=json_array(waits),
    )


async def block_tasks(
    conn: Conn,
    *,
    session_id: int,
    token: UUID,
    task_ids: list[UUID],
    attempts: list[int],
    mismatches: list[JsonObject],
    versions: list[str | None] | None = None,
) -> list[ReportResult]:
    return await call(
        conn,
        "block_tasks",
        ReportResult,
        session_id=session_id,
        token=token,
        task_ids=task_ids,
        attempts=attempts,
        mismatches=json_array(mismatches),
        versions=versions,
    )


async def heartbeat(
    conn: Conn,
    *,
    session_id: int,
    token: UUID,
    task_ids: list[UUID],
    attempts: list[int],
    settled: int | None = None,
    metrics: JsonObject | None = None,
    logs: list[JsonObject] | None = None,
) -> HeartbeatResult:
    return await call_one(
        conn,
        "heartbeat",
        HeartbeatResult,
        session_id=session_id,
        token=token,
        task_ids=task_ids,
        attempts=attempts,
        settled=settled,
        metrics=metrics,
        logs=json_or_default(logs),
    )


async def begin_tasks(conn: Conn, *, session_id: int, token: UUID, task_ids: list[UUID], attempts: list[int]) -> None:
    await call_void(conn, "begin_tasks", session_id=session_id, token=token, task_ids=task_ids, attempts=attempts)


async def report_progress(
    conn: Conn,
    *,
    session_id: int,
    token: UUID,
    task_ids: list[UUID],
    attempts: list[int],
    progress: list[float | None] | None = None,
    messages: list[str | None] | None = None,
) -> list[ProgressResult]:
    return await call(
        conn,
        "report_progress",
        ProgressResult,
        session_id=session_id,
        token=token,
        task_ids=task_ids,
        attempts=attempts,
        progress=progress,
        messages=messages,
    )
