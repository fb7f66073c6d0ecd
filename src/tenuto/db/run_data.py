"""Data that tasks share: one coroutine per public function about run data, operator state and logs."""

from datetime import datetime
from uuid import UUID

from tenuto.db.connection.call import Conn, call, call_one, call_value, json_or_default, json_value
from tenuto.model.json import Json, JsonObject
from tenuto.model.run_data import LogLine, RunDataItem, RunLogLine, State


async def put_run_data(
    conn: Conn,
    *,
    org_id: UUID,
    run_id: UUID,
    values: JsonObject,
    tags: list[str] | None = None,
    metadata: JsonObject | None = None,
) -> list[UUID]:
    return await call_value(
        conn,
        "put_run_data",
        org_id=org_id,
        run_id=run_id,
        values=values,
        tags=tags,
        metadata=json_or_default(metadata),
    )


async def put_task_data(
    conn: Conn,
    *,
    session_id: int,
    token: UUID,
    task_id: UUID,
    attempt: int,
    values: JsonObject,
    tags: list[str] | None = None,
    metadata: JsonObject | None = None,
) -> list[UUID]:
    return await call_value(
        conn,
        "put_task_data",
        session_id=session_id,
        token=token,
        task_id=task_id,
        attempt=attempt,
        values=values,
        tags=tags,
        metadata=json_or_default(metadata),
    )


async def get_run_data(
    conn: Conn,
    *,
    org_id: UUID,
    run_id: UUID,
    keys: list[str] | None = None,
    prefix: str | None = None,
    glob: str | None = None,
    tags: list[str] | None = None,
    all_tags: bool | None = None,
    tag_prefix: str | None = None,
    history: bool | None = None,
    limit: int | None = None,
) -> list[RunDataItem]:
    return await call(
        conn,
        "get_run_data",
        RunDataItem,
        org_id=org_id,
        run_id=run_id,
        keys=keys,
        prefix=prefix,
        glob=glob,
        tags=tags,
        all_tags=all_tags,
        tag_prefix=tag_prefix,
        history=history,
        limit=limit,
    )


async def get_run_data_value(
    conn: Conn, *, org_id: UUID, data_id: UUID | None = None, run_id: UUID | None = None, key: str | None = None
) -> RunDataItem:
    return await call_one(
        conn, "get_run_data_value", RunDataItem, org_id=org_id, data_id=data_id, run_id=run_id, key=key
    )


async def delete_run_data(
    conn: Conn, *, org_id: UUID, run_id: UUID, key: str | None = None, data_id: UUID | None = None
) -> int:
    return await call_value(conn, "delete_run_data", org_id=org_id, run_id=run_id, key=key, data_id=data_id)


async def edit_run_data_tags(
    conn: Conn, *, org_id: UUID, data_id: UUID, add: list[str] | None = None, remove: list[str] | None = None
) -> list[str]:
    return await call_value(conn, "edit_run_data_tags", org_id=org_id, data_id=data_id, add=add, remove=remove)


async def get_task_state(
    conn: Conn, *, session_id: int, token: UUID, task_id: UUID, attempt: int, key: str | None = None
) -> list[State]:
    return await call(
        conn, "get_task_state", State, session_id=session_id, token=token, task_id=task_id, attempt=attempt, key=key
    )


async def put_task_state(
    conn: Conn, *, session_id: int, token: UUID, task_id: UUID, attempt: int, key: str, value: Json, version: int
) -> int:
    return await call_value(
        conn,
        "put_task_state",
        session_id=session_id,
        token=token,
        task_id=task_id,
        attempt=attempt,
        key=key,
        value=json_value(value),
        version=version,
    )


async def get_state(conn: Conn, *, org_id: UUID, job_key: str, key: str | None = None) -> list[State]:
    return await call(conn, "get_state", State, org_id=org_id, job_key=job_key, key=key)


async def put_state(
    conn: Conn,
    *,
    session_id: int,
    token: UUID,
    task_id: UUID,
    attempt: int,
    job_key: str,
    key: str,
    value: Json,
    version: int,
) -> int:
    return await call_value(
        conn,
        "put_state",
        session_id=session_id,
        token=token,
        task_id=task_id,
        attempt=attempt,
        job_key=job_key,
        key=key,
        value=json_value(value),
        version=version,
    )


async def write_logs(conn: Conn, *, session_id: int, token: UUID, lines: list[JsonObject]) -> int:
    return await call_value(conn, "write_logs", session_id=session_id, token=token, lines=json_value(lines))


async def read_logs(
    conn: Conn,
    *,
    org_id: UUID,
    task_id: UUID,
    after_attempt: int | None = None,
    after_line: int | None = None,
    limit: int | None = None,
) -> list[LogLine]:
    return await call(
        conn,
        "read_logs",
        LogLine,
        org_id=org_id,
        task_id=task_id,
        after_attempt=after_attempt,
        after_line=after_line,
        limit=limit,
    )


async def read_run_logs(
    conn: Conn,
    *,
    org_id: UUID,
    run_id: UUID,
    after: datetime | None = None,
    after_task: UUID | None = None,
    after_attempt: int | None = None,
    after_line: int | None = None,
    limit: int | None = None,
) -> list[RunLogLine]:
    return await call(
        conn,
        "read_run_logs",
        RunLogLine,
        org_id=org_id,
        run_id=run_id,
        after=after,
        after_task=after_task,
        after_attempt=after_attempt,
        after_line=after_line,
        limit=limit,
    )
