"""Operations on runs and queues: start, release, cancel, retry, delete; pause and resume queues."""

from uuid import UUID

from psycopg.errors import InsufficientPrivilege

from tenuto.db.connection.call import (
    Conn,
    call,
    call_one,
    call_value,
    call_void,
    json_array,
    json_or_default,
)
from tenuto.db.connection.raw_statements import array_literal, call_procedure, call_texts
from tenuto.db.connection.start_statements import may_not_start
from tenuto.model.json import Json, JsonObject
from tenuto.model.run_requests import RunOutput, RunRequest
from tenuto.model.tasks import Started, TreeNode

Described = list[JsonObject]  # kinds, details and edges as described in start_run.sql


async def start_run(
    conn: Conn,
    *,
    org_id: UUID,
    run: JsonObject,
    kinds: Described,
    inputs: list[Json],
    ids: list[UUID] | None = None,
    task_kinds: list[int] | None = None,
    details: Described | None = None,
    edges: Described | None = None,
    wake: bool | None = None,
) -> Started:
    return await call_one(
        conn,
        "start_run",
        Started,
        org_id=org_id,
        run=run,
        kinds=json_or_default(kinds),
        inputs=json_array(inputs),
        ids=ids,
        task_kinds=task_kinds,
        details=json_or_default(details),
        edges=json_or_default(edges),
        wake=wake,
    )


async def open_run(conn: Conn, *, org_id: UUID, run: JsonObject | None = None) -> Started:
    return await call_one(conn, "open_run", Started, org_id=org_id, run=json_or_default(run))


async def add_tasks(
    conn: Conn,
    *,
    org_id: UUID,
    run_id: UUID,
    kinds: Described,
    inputs: list[Json],
    ids: list[UUID] | None = None,
    task_kinds: list[int] | None = None,
    details: Described | None = None,
    edges: Described | None = None,
    wake: bool | None = None,
) -> list[UUID]:
    return await call_value(
        conn,
        "add_tasks",
        org_id=org_id,
        run_id=run_id,
        kinds=json_or_default(kinds),
        inputs=json_array(inputs),
        ids=ids,
        task_kinds=task_kinds,
        details=json_or_default(details),
        edges=json_or_default(edges),
        wake=wake,
    )


async def close_run(conn: Conn, *, org_id: UUID, run_id: UUID) -> None:
    await call_void(conn, "close_run", org_id=org_id, run_id=run_id)


async def start_task(
    conn: Conn, *, org_id: UUID, kind: str, input: str, id: str | None = None, group: str | None = None
) -> None:
    """Start a task. `kind` and `input` are JSON text. The task is on disk when this function returns; workers may see
    it earlier. Cannot run inside a transaction."""
    try:
        await call_procedure(conn, "start_task", org_id=org_id, kind=kind, input=input, id=id, group=group)
    except InsufficientPrivilege as error:
        raise may_not_start(conn.info.user, error) from error


async def start_for_requests(
    conn: Conn,
    *,
    kinds: str,
    inputs: list[str],
    ids: list[str],
    changes: str,
    actor_kind: str,
    actor_id: str,
    ips: list[str | None],
    user_agents: list[str | None],
    request_ids: list[str | None],
    details: str | None = None,
    group: str | None = None,
    key_id: str | None = None,
    hashes: str | None = None,
    permission: str | None = None,
    org_id: UUID | None = None,
    user_id: UUID | None = None,
    platform_role: str | None = None,
) -> None:
    """Start tasks for several HTTP requests. `kinds`, `inputs`, `changes` and `details` are JSON text. Parameters from
    `key_id` on come from `Actor.named`. Cannot run inside a transaction."""
    await call_procedure(
        conn,
        "start_for_requests",
        kinds=kinds,
        inputs=array_literal(inputs),
        ids=array_literal(ids),
        changes=changes,
        actor_kind=actor_kind,
        actor_id=actor_id,
        ips=array_literal(ips),
        user_agents=array_literal(user_agents),
        request_ids=array_literal(request_ids),
        details=details,
        group=group,
        key_id=key_id,
        hashes=hashes,
        permission=permission,
        org_id=org_id,
        user_id=user_id,
        platform_role=platform_role,
    )


async def start_run_for_request(
    conn: Conn,
    *,
    kinds: str,
    inputs: list[str],
    changes: str,
    actor_kind: str,
    actor_id: str,
    ip: str | None = None,
    user_agent: str | None = None,
    request_id: str | None = None,
    run: str | None = None,
    task_kinds: list[int] | None = None,
    details: str | None = None,
    edges: str | None = None,
    dedupe_key: str | None = None,
    group: str | None = None,
    key_id: str | None = None,
    hashes: str | None = None,
    permission: str | None = None,
    org_id: UUID | None = None,
    user_id: UUID | None = None,
    platform_role: str | None = None,
) -> Started:
    """Start a run for an HTTP request, with JSON texts. Parameters from `key_id` on come from `Actor.named`."""
    ((run_id, created, *_),) = await call_texts(  # a newer database may return more columns
        conn,
        "start_run_for_request",
        kinds=kinds,
        inputs=array_literal(inputs),
        changes=changes,
        actor_kind=actor_kind,
        actor_id=actor_id,
        ip=ip,
        user_agent=user_agent,
        request_id=request_id,
        run=run,
        task_kinds=None if task_kinds is None else "{" + ",".join(map(str, task_kinds)) + "}",
        details=details,
        edges=edges,
        dedupe_key=dedupe_key,
        group=group,
        key_id=key_id,
        hashes=hashes,
        permission=permission,
        org_id=org_id,
        user_id=user_id,
        platform_role=platform_role,
    )
    return Started(UUID(run_id), created == "t")


async def start_many(
    conn: Conn,
    *,
    org_id: UUID,
    kinds: Described,
    inputs: list[Json],
    ids: list[UUID] | None = None,
    task_kinds: list[int] | None = None,
    details: Described | None = None,
    dedupe_keys: list[str | None] | None = None,
    group: str | None = None,
    wake: bool | None = None,
) -> list[Started]:
    return await call(
        conn,
        "start_many",
        Started,
        org_id=org_id,
        kinds=json_or_default(kinds),
        inputs=json_array(inputs),
        ids=ids,
        task_kinds=task_kinds,
        details=json_or_default(details),
        dedupe_keys=dedupe_keys,
        group=group,
        wake=wake,
    )


async def get_declared_kind(conn: Conn, *, org_id: UUID, type: str) -> JsonObject | None:
    return await call_value(conn, "get_declared_kind", org_id=org_id, type=type)


async def cancel_run(conn: Conn, *, org_id: UUID, run_id: UUID, reason: str | None = None) -> bool:
    return await call_value(conn, "cancel_run", org_id=org_id, run_id=run_id, reason=reason)


async def cancel_task(conn: Conn, *, org_id: UUID, task_id: UUID, reason: str | None = None) -> None:
    await call_void(conn, "cancel_task", org_id=org_id, task_id=task_id, reason=reason)


async def retry_run(
    conn: Conn,
    *,
    org_id: UUID,
    run_id: UUID,
    reuse: bool | None = None,
    force: bool | None = None,
    from_name: str | None = None,
) -> UUID:
    return await call_value(
        conn, "retry_run", org_id=org_id, run_id=run_id, reuse=reuse, force=force, from_name=from_name
    )


async def get_request(conn: Conn, *, org_id: UUID, run_id: UUID) -> list[RunRequest]:
    return await call(conn, "get_request", RunRequest, org_id=org_id, run_id=run_id)


async def delete_run(conn: Conn, *, org_id: UUID, run_id: UUID) -> bool:
    return await call_value(conn, "delete_run", org_id=org_id, run_id=run_id)


async def delete_task(conn: Conn, *, org_id: UUID, task_id: UUID) -> int:
    return await call_value(conn, "delete_task", org_id=org_id, task_id=task_id)


async def fold_and_wake_runs(conn: Conn, *, run_ids: list[UUID]) -> int:
    return await call_value(conn, "fold_and_wake_runs", run_ids=run_ids)


async def get_run_output(conn: Conn, *, run_id: UUID) -> RunOutput:
    return await call_one(conn, "get_run_output", RunOutput, run_id=run_id)


async def get_task_tree(conn: Conn, *, org_id: UUID, task_id: UUID) -> list[TreeNode]:
    return await call(conn, "get_task_tree", TreeNode, org_id=org_id, task_id=task_id)


async def pause_queue(conn: Conn, *, org_id: UUID, queue: str, new: bool | None = None) -> None:
    await call_void(conn, "pause_queue", org_id=org_id, queue=queue, new=new)


async def resume_queue(conn: Conn, *, org_id: UUID, queue: str) -> None:
    await call_void(conn, "resume_queue", org_id=org_id, queue=queue)


async def release_run(conn: Conn, *, org_id: UUID, run_id: UUID) -> bool:
    return await call_value(conn, "release_run", org_id=org_id, run_id=run_id)


async def find_dispatcher_task(conn: Conn, *, org_id: UUID) -> UUID | None:
    return await call_value(conn, "find_dispatcher_task", org_id=org_id)
