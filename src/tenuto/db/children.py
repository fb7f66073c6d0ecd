"""Child tasks, inputs and effects of a running attempt: one coroutine per function that starts, reads or publishes
them."""

from uuid import UUID

from tenuto.db.connection.call import (
    Conn,
    call,
    call_one,
    call_value,
    call_void,
    json_array,
    json_or_default,
    json_value,
)
from tenuto.model.jobs import InputLocation, JobInputs, PageOfRows
from tenuto.model.json import Json, JsonObject
from tenuto.model.outbox import PublishedEffect
from tenuto.model.tasks import TaskResult


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


async def publish_task_effect(
    conn: Conn,
    *,
    session_id: int,
    token: UUID,
    task_id: UUID,
    attempt: int,
    kind: str,
    payload: Json,
    key: str | None = None,
) -> PublishedEffect:
    return await call_one(
        conn,
        "publish_task_effect",
        PublishedEffect,
        session_id=session_id,
        token=token,
        task_id=task_id,
        attempt=attempt,
        kind=kind,
        payload=json_value(payload),
        key=key,
    )


async def list_input_locations(
    conn: Conn,
    *,
    session_id: int,
    token: UUID,
    task_id: UUID,
    attempt: int,
    input: int,
    after: UUID | None = None,
    limit: int | None = None,
) -> list[InputLocation]:
    return await call(
        conn,
        "list_input_locations",
        InputLocation,
        session_id=session_id,
        token=token,
        task_id=task_id,
        attempt=attempt,
        input=input,
        after=after,
        limit=limit,
    )


async def get_job_inputs(conn: Conn, *, session_id: int, token: UUID, task_id: UUID, attempt: int) -> list[JobInputs]:
    return await call(
        conn, "get_job_inputs", JobInputs, session_id=session_id, token=token, task_id=task_id, attempt=attempt
    )


async def stage_rows(
    conn: Conn,
    *,
    session_id: int,
    token: UUID,
    task_id: UUID,
    attempt: int,
    output: int,
    location: str,
    page: int,
    rows: Json,
) -> None:
    await call_void(
        conn,
        "stage_rows",
        session_id=session_id,
        token=token,
        task_id=task_id,
        attempt=attempt,
        output=output,
        location=location,
        page=page,
        rows=json_value(rows),
    )


async def read_rows(
    conn: Conn, *, session_id: int, token: UUID, task_id: UUID, attempt: int, input: int, location: str, page: int
) -> PageOfRows:
    return await call_one(
        conn,
        "read_rows",
        PageOfRows,
        session_id=session_id,
        token=token,
        task_id=task_id,
        attempt=attempt,
        input=input,
        location=location,
        page=page,
    )
