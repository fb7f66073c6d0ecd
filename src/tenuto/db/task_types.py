"""Task types, and the sizes of limits: one coroutine per public function that declares, sets or returns them."""

from collections.abc import Mapping
from uuid import UUID

from tenuto.db.connection.call import Conn, call, call_one, call_void
from tenuto.model.json import Json, JsonObject
from tenuto.model.task_types import DeclaredType, InputSchema, RefusedSchema, TaskType, TaskTypeSummary


async def declare_types(
    conn: Conn,
    *,
    session_id: int,
    token: UUID,
    types: dict[str, JsonObject],
    schemas: Mapping[str, Json] | None = None,
) -> list[DeclaredType]:
    return await call(
        conn, "declare_types", DeclaredType, session_id=session_id, token=token, types=types, schemas=schemas
    )


async def list_task_types(
    conn: Conn, *, org_id: UUID, after: str | None = None, limit: int | None = None
) -> list[TaskTypeSummary]:
    return await call(conn, "list_task_types", TaskTypeSummary, org_id=org_id, after=after, limit=limit)


async def get_task_type(conn: Conn, *, org_id: UUID, type: str) -> TaskType:
    return await call_one(conn, "get_task_type", TaskType, org_id=org_id, type=type)


async def get_input_schemas(conn: Conn, *, org_id: UUID, types: list[str]) -> list[InputSchema]:
    return await call(conn, "get_input_schemas", InputSchema, org_id=org_id, types=types)


async def check_known(conn: Conn, *, org_id: UUID, types: list[str], queues: list[str] | None = None) -> None:
    await call_void(conn, "check_known", org_id=org_id, types=types, queues=queues)


async def list_refused_schemas(conn: Conn, *, org_id: UUID, limit: int | None = None) -> list[RefusedSchema]:
    return await call(conn, "list_refused_schemas", RefusedSchema, org_id=org_id, limit=limit)


async def set_limit(conn: Conn, *, org_id: UUID, scope: str, key: str, size: int) -> None:
    await call_void(conn, "set_limit", org_id=org_id, scope=scope, key=key, size=size)


async def reset_limit(conn: Conn, *, org_id: UUID, scope: str, key: str) -> None:
    await call_void(conn, "reset_limit", org_id=org_id, scope=scope, key=key)
