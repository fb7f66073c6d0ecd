"""The attempt functions that a worker calls: claim, keep alive, end. Every call carries the attempt's fence."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from tenuto.db.connection.call import Conn, Json, call, call_one, call_value, call_void, json_array, json_or_default
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
    Unclaimable,
)


async def resolve_routes(
    conn: Conn, *, session_id: int, queues: list[str] | None = None, types: list[str] | None = None
) -> list[Route]:
    return await call(conn, "resolve_routes", Route, session_id=session_id, queues=queues, types=types)


async def claim_tasks(
    conn: Conn,
    *,
    session_id: int,
    token: UUID,
    claim_no: int,
    routes: list[int],
    limit: int,
    group: str | None = None,
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
    return await call_one(
        conn,
        "claim_task",
        _claim_answer,
        columns="answer, (task).*",
        session_id=session_id,
        token=token,
        claim_no=claim_no,
        task_id=task_id,
    )


def _claim_answer(answer: str, **task: Any) -> ClaimAnswer:
    return ClaimAnswer(answer, Claimed(**task) if task["task_id"] else None)


async def postpone_unclaimable(
    conn: Conn, *, session_id: int, token: UUID, routes: list[int], limit: int, pause: timedelta | None = None
) -> list[Unclaimable]:
    session = {"session_id": session_id, "token": token}
    return await call(conn, "postpone_unclaimable", Unclaimable, **session, routes=routes, limit=limit, pause=pause)


async def get_inputs(
    conn: Conn, *, session_id: int, token: UUID, task_id: UUID, attempt: int, first: int | None = None
) -> list[InputPart]:
    fence = {"session_id": session_id, "token": token, "task_id": task_id, "attempt": attempt}
    return await call(conn, "get_inputs", InputPart, **fence, first=first)


async def complete_tasks(
    conn: Conn,
    *,
    session_id: int,
    token: UUID,
    task_ids: list[UUID],
    attempts: list[int],
    outputs: list[Json] | None = None,
    effects: list[dict[str, Any]] | None = None,
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
    outputs: list[Json],
    claim_no: int,
    routes: list[int],
    limit: int,
    effects: list[dict[str, Any]] | None = None,
    group: str | None = None,
) -> ExchangeResult:
    rows = await call(
        conn,
        "complete_and_claim",
        dict,
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
        [Claimed(**{k: v for k, v in row.items() if k != "answer"}) for row in rows if not row["answer"]],
    )


async def fail_tasks(
    conn: Conn,
    *,
    session_id: int,
    token: UUID,
    task_ids: list[UUID],
    attempts: list[int],
    errors: list[Json],
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
    conn: Conn, *, session_id: int, token: UUID, task_ids: list[UUID], attempts: list[int], errors: list[Json]
) -> list[ReportResult]:
    fences = {"session_id": session_id, "token": token, "task_ids": task_ids, "attempts": attempts}
    return await call(conn, "lose_tasks", ReportResult, **fences, errors=json_array(errors))


async def snooze_tasks(
    conn: Conn, *, session_id: int, token: UUID, task_ids: list[UUID], attempts: list[int], seconds: list[float]
) -> list[ReportResult]:
    fences = {"session_id": session_id, "token": token, "task_ids": task_ids, "attempts": attempts}
    return await call(conn, "snooze_tasks", ReportResult, **fences, seconds=seconds)


async def interrupt_tasks(
    conn: Conn, *, session_id: int, token: UUID, task_ids: list[UUID], attempts: list[int]
) -> list[ReportResult]:
    fences = {"session_id": session_id, "token": token, "task_ids": task_ids, "attempts": attempts}
    return await call(conn, "interrupt_tasks", ReportResult, **fences)


async def wait_tasks(
    conn: Conn, *, session_id: int, token: UUID, task_ids: list[UUID], attempts: list[int], waits: list[dict[str, Any]]
) -> list[ReportResult]:
    fences = {"session_id": session_id, "token": token, "task_ids": task_ids, "attempts": attempts}
    return await call(conn, "wait_tasks", ReportResult, **fences, waits=json_array(waits))


async def heartbeat(
    conn: Conn,
    *,
    session_id: int,
    token: UUID,
    task_ids: list[UUID],
    attempts: list[int],
    settled: int | None = None,
    metrics: dict[str, Any] | None = None,
) -> HeartbeatResult:
    fences = {"session_id": session_id, "token": token, "task_ids": task_ids, "attempts": attempts}
    return await call_one(conn, "heartbeat", HeartbeatResult, **fences, settled=settled, metrics=metrics)


async def begin_tasks(conn: Conn, *, session_id: int, token: UUID, task_ids: list[UUID], attempts: list[int]) -> None:
    fences = {"session_id": session_id, "token": token, "task_ids": task_ids, "attempts": attempts}
    await call_void(conn, "begin_tasks", **fences)


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
    fences = {"session_id": session_id, "token": token, "task_ids": task_ids, "attempts": attempts}
    return await call(conn, "report_progress", ProgressAnswer, **fences, progress=progress, messages=messages)


async def start_children(
    conn: Conn,
    *,
    session_id: int,
    token: UUID,
    task_id: UUID,
    attempt: int,
    kinds: list[dict[str, Any]],
    inputs: list[Json],
    ids: list[UUID] | None = None,
    task_kinds: list[int] | None = None,
    details: list[dict[str, Any]] | None = None,
    edges: list[dict[str, Any]] | None = None,
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
