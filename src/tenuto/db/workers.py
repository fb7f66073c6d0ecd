"""Workers, their sessions, and dispatchers: one coroutine per public function in sql/workers/."""

from datetime import timedelta
from uuid import UUID

from tenuto.db.connection.call import Conn, call, call_one, call_value, call_values, call_void, json_or_default
from tenuto.model.json import JsonObject
from tenuto.model.workers import LocalSession, PrunedWorkers, Session


async def register_worker(
    conn: Conn,
    *,
    org_id: UUID,
    worker_id: str,
    labels: list[str] | None = None,
    languages: list[str] | None = None,
    address: str | None = None,
    instance_type: str | None = None,
    metadata: JsonObject | None = None,
    lease: timedelta | None = None,
    worker_key_id: UUID | None = None,
    queues: list[str] | None = None,
    installation: str | None = None,
    store: str | None = None,
) -> Session:
    return await call_one(
        conn,
        "register_worker",
        Session,
        org_id=org_id,
        worker_id=worker_id,
        labels=labels,
        languages=languages,
        address=address,
        instance_type=instance_type,
        metadata=metadata,
        lease=lease,
        worker_key_id=worker_key_id,
        queues=queues,
        installation=installation,
        store=store,
    )


async def expect_worker(
    conn: Conn,
    *,
    org_id: UUID,
    worker_id: str,
    instance_type: str,
    metadata: JsonObject | None = None,
    pool_id: UUID | None = None,
) -> None:
    await call_void(
        conn,
        "expect_worker",
        org_id=org_id,
        worker_id=worker_id,
        instance_type=instance_type,
        metadata=metadata,
        pool_id=pool_id,
    )


async def beat_worker(
    conn: Conn,
    *,
    org_id: UUID,
    worker_id: str,
    metrics: JsonObject | None = None,
    instance_type: str | None = None,
    logs: list[JsonObject] | None = None,
) -> str:
    return await call_value(
        conn,
        "beat_worker",
        org_id=org_id,
        worker_id=worker_id,
        metrics=metrics,
        instance_type=instance_type,
        logs=json_or_default(logs),
    )


async def drain_worker(conn: Conn, *, org_id: UUID, worker_id: str, reason: str | None = None) -> None:
    await call_void(conn, "drain_worker", org_id=org_id, worker_id=worker_id, reason=reason)


async def fail_worker(conn: Conn, *, org_id: UUID, worker_id: str, error: str) -> None:
    await call_void(conn, "fail_worker", org_id=org_id, worker_id=worker_id, error=error)


async def terminate_worker(conn: Conn, *, org_id: UUID, worker_id: str) -> None:
    await call_void(conn, "terminate_worker", org_id=org_id, worker_id=worker_id)


async def end_key_sessions(conn: Conn, *, org_id: UUID, worker_key_id: UUID) -> int:
    return await call_value(conn, "end_key_sessions", org_id=org_id, worker_key_id=worker_key_id)


async def close_session(conn: Conn, *, session_id: int, token: UUID) -> None:
    await call_void(conn, "close_session", session_id=session_id, token=token)


async def list_local_sessions(conn: Conn, *, host: str) -> list[LocalSession]:
    return await call(conn, "list_local_sessions", LocalSession, host=host)


async def end_leases(conn: Conn, *, host: str, session_ids: list[int]) -> int:
    return await call_value(conn, "end_leases", host=host, session_ids=session_ids)


async def expire_sessions(conn: Conn, *, limit: int | None = None, keys: list[str] | None = None) -> int:
    return await call_value(conn, "expire_sessions", limit=limit, keys=keys)


async def expire_workers(conn: Conn, *, limit: int | None = None, keys: list[str] | None = None) -> int:
    return await call_value(conn, "expire_workers", limit=limit, keys=keys)


async def beat_dispatcher(conn: Conn, *, id: UUID, address: str, port: int) -> None:
    await call_void(conn, "beat_dispatcher", id=id, address=address, port=port)


async def close_dispatcher(conn: Conn, *, id: UUID) -> None:
    await call_void(conn, "close_dispatcher", id=id)


async def take_loops(conn: Conn, *, dispatcher_id: UUID, loops: list[str], lease: timedelta | None = None) -> list[str]:
    return await call_values(conn, "take_loops", dispatcher_id=dispatcher_id, loops=loops, lease=lease)


async def prune_workers(
    conn: Conn, *, keep: timedelta | None = None, limit: int | None = None, keys: list[str] | None = None
) -> PrunedWorkers:
    return await call_one(conn, "prune_workers", PrunedWorkers, keep=keep, limit=limit, keys=keys)
