"""The attempt functions that a worker calls: claim, keep alive, end. Every call carries the attempt's fence."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any
from uuid import UUID

from tenuto.db.connection.call import Conn, call, call_one, call_value, call_void, json_array, json_or_default
from tenuto.model.json import Json, JsonObject
from tenuto.model.tasks import (
    ClaimAnswer,
    Claimed,
    ExchangeResult,
    HeartbeatResult,
    InputPart,
    ProgressAnswer,
    ReportResult,
    Route,
    TaskResult,
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


async def claim_task(conn: Conn, *, session_id: int, token: UUID, claim_no: int, task_id: UUID) -> ClaimAnswer:
    row = await call_one(
        conn,
        "claim_task",
        dict[str, Any],
        columns="answer, (task).*",
        session_id=session_id,
        token=token,
        claim_no=claim_no,
        task_id=task_id,
    )
    return ClaimAnswer(row["answer"], _claimed(row) if row["task_id"] else None)


def _claimed(row: Mapping[str, Any]) -> Claimed:
    return Claimed(*(row[column.name] for column in fields(Claimed)))


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
    )
    return ExchangeResult(
        [ReportResult(row["task_id"], row["attempt"], row["answer"]) for row in rows if row["answer"]],
        [_claimed(row) for row in rows if not row["answer"]],
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


async def heartbeat(
    conn: Conn,
    *,
    session_id: int,
    token: UUID,
    task_ids: list[UUID],
    attempts: list[int],
    settled: int | None = None,
    metrics: JsonObject | None = None,
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
) -> list[ProgressAnswer]:
    return await call(
        conn,
        "report_progress",
        ProgressAnswer,
        session_id=session_id,
        token=token,
        task_ids=task_ids,
        attempts=attempts,
        progress=progress,
        messages=messages,
    )


async def start_children(
    conn: Conn,
    *,
    session_id: int,
    token: UUID,
    task_id: UUID,
    attempt: int,
    kinds: list[JsonObject],
    inputs: list[Json],
    ids: list[UUID] | None = None,
    task_kinds: list[int] | None = None,
    details: list[JsonObject] | None = None,
    edges: list[JsonObject] | None = None,
    step_no: int | None = None,
    step_name: str | None = None,
    wake: bool | None = None,
) -> list[UUID]:
    return await call_value(
        conn,
        "start_children",
        session_id=session_id,
        token=token,
        task_id=task_id,
        attempt=attempt,
        kinds=json_or_default(kinds),
        inputs=json_array(inputs),
        ids=ids,
        task_kinds=task_kinds,
        details=json_or_default(details),
        edges=json_or_default(edges),
        step_no=step_no,
        step_name=step_name,
        wake=wake,
    )


async def poll_tasks(conn: Conn, *, org_id: UUID, task_ids: list[UUID], run_id: UUID | None = None) -> list[TaskResult]:
    return await call(conn, "poll_tasks", TaskResult, org_id=org_id, task_ids=task_ids, run_id=run_id)
