"""Steps and signals of durable tasks: one coroutine per public function about them."""

from uuid import UUID

from tenuto.db.connection.call import Conn, call, call_one, call_value, call_void, json_or_default, json_value
from tenuto.model.json import Json, JsonObject
from tenuto.model.run_data import Signal, TaskStep


async def record_step(
    conn: Conn,
    *,
    session_id: int,
    token: UUID,
    task_id: UUID,
    attempt: int,
    step_no: int,
    name: str,
    kind: str,
    value: Json,
) -> Json:
    return await call_value(
        conn,
        "record_step",
        session_id=session_id,
        token=token,
        task_id=task_id,
        attempt=attempt,
        step_no=step_no,
        name=name,
        kind=kind,
        value=json_value(value),
    )


async def fail_step(
    conn: Conn,
    *,
    session_id: int,
    token: UUID,
    task_id: UUID,
    attempt: int,
    step_no: int,
    name: str,
    error: JsonObject,
    tries: int,
    retry_seconds: float | None = None,
    kind: str | None = None,
) -> None:
    await call_void(
        conn,
        "fail_step",
        session_id=session_id,
        token=token,
        task_id=task_id,
        attempt=attempt,
        step_no=step_no,
        name=name,
        error=json_value(error),
        tries=tries,
        retry_seconds=retry_seconds,
        kind=kind,
    )


async def get_steps(conn: Conn, *, org_id: UUID, task_id: UUID) -> list[TaskStep]:
    return await call(conn, "get_steps", TaskStep, org_id=org_id, task_id=task_id)


async def take_signal(
    conn: Conn, *, session_id: int, token: UUID, task_id: UUID, attempt: int, step_no: int, name: str
) -> Signal:
    return await call_one(
        conn,
        "take_signal",
        Signal,
        session_id=session_id,
        token=token,
        task_id=task_id,
        attempt=attempt,
        step_no=step_no,
        name=name,
    )


async def send_signal(conn: Conn, *, org_id: UUID, run_id: UUID, name: str, value: Json = None) -> UUID:
    return await call_value(conn, "send_signal", org_id=org_id, run_id=run_id, name=name, value=json_or_default(value))
