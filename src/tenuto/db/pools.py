"""Pools of workers: one coroutine per public function in sql/workers/pools/ and sql/monitoring/pools/."""

from datetime import datetime, timedelta
from uuid import UUID

from tenuto.db.connection.call import Conn, call, call_one, call_value, call_void
from tenuto.model.json import JsonObject
from tenuto.model.pools import PoolFacts, PoolMachine, PoolStatus, ScalingDecision, TakenPool


async def set_pool(conn: Conn, *, org_id: UUID, name: str, policy: JsonObject) -> UUID:
    return await call_value(conn, "set_pool", org_id=org_id, name=name, policy=policy)


async def delete_pool(conn: Conn, *, org_id: UUID, name: str, force: bool | None = None) -> None:
    await call_void(conn, "delete_pool", org_id=org_id, name=name, force=force)


async def take_pools(
    conn: Conn,
    *,
    dispatcher_id: UUID,
    providers: list[str],
    lease: timedelta | None = None,
    org_id: UUID | None = None,
    installation: str | None = None,
    store: str | None = None,
) -> list[TakenPool]:
    return await call(
        conn,
        "take_pools",
        TakenPool,
        dispatcher_id=dispatcher_id,
        providers=providers,
        lease=lease,
        org_id=org_id,
        installation=installation,
        store=store,
    )


async def decide_pool(
    conn: Conn,
    *,
    org_id: UUID,
    pool_id: UUID,
    dispatcher_id: UUID,
    expected: int,
    workers: int,
    wanted: int,
    reason: str,
    facts: JsonObject,
    spawn: list[str] | None = None,
    drain: list[str] | None = None,
    cancel: list[str] | None = None,
    busy: list[str] | None = None,
    max_machines: int | None = None,
    requested: int | None = None,
) -> bool:
    return await call_value(
        conn,
        "decide_pool",
        org_id=org_id,
        pool_id=pool_id,
        dispatcher_id=dispatcher_id,
        expected=expected,
        workers=workers,
        wanted=wanted,
        reason=reason,
        facts=facts,
        spawn=spawn,
        drain=drain,
        cancel=cancel,
        busy=busy,
        max_machines=max_machines,
        requested=requested,
    )


async def record_machine(
    conn: Conn, *, org_id: UUID, worker_id: str, provider_id: str, metadata: JsonObject | None = None
) -> bool:
    return await call_value(
        conn, "record_machine", org_id=org_id, worker_id=worker_id, provider_id=provider_id, metadata=metadata
    )


async def fail_spawn(conn: Conn, *, org_id: UUID, worker_id: str, error: str) -> bool:
    return await call_value(conn, "fail_spawn", org_id=org_id, worker_id=worker_id, error=error)


async def give_up_machine(
    conn: Conn,
    *,
    org_id: UUID,
    worker_id: str,
    seen_at: datetime | None = None,
    error: str | None = None,
    diagnostics: JsonObject | None = None,
) -> bool:
    return await call_value(
        conn,
        "give_up_machine",
        org_id=org_id,
        worker_id=worker_id,
        seen_at=seen_at,
        error=error,
        diagnostics=diagnostics,
    )


async def end_machine(conn: Conn, *, org_id: UUID, worker_id: str) -> bool:
    return await call_value(conn, "end_machine", org_id=org_id, worker_id=worker_id)


async def request_machines(conn: Conn, *, org_id: UUID, name: str, count: int | None = None) -> int:
    return await call_value(conn, "request_machines", org_id=org_id, name=name, count=count)


async def note_pool_problem(conn: Conn, *, org_id: UUID, pool_id: UUID, problem: str | None = None) -> None:
    await call_void(conn, "note_pool_problem", org_id=org_id, pool_id=pool_id, problem=problem)


async def get_pool_facts(conn: Conn, *, org_id: UUID, pool_id: UUID) -> PoolFacts:
    return await call_one(conn, "get_pool_facts", _read_facts, org_id=org_id, pool_id=pool_id)


def _read_facts(**columns: object) -> PoolFacts:
    from pydantic import TypeAdapter

    return TypeAdapter(PoolFacts).validate_python(columns)


async def list_pools(
    conn: Conn, *, org_id: UUID, after: str | None = None, limit: int | None = None, name: str | None = None
) -> list[PoolStatus]:
    return await call(conn, "list_pools", PoolStatus, org_id=org_id, after=after, limit=limit, name=name)


async def list_pool_machines(conn: Conn, *, org_id: UUID, name: str, limit: int | None = None) -> list[PoolMachine]:
    return await call(conn, "list_pool_machines", PoolMachine, org_id=org_id, name=name, limit=limit)


async def list_scaling_decisions(
    conn: Conn, *, org_id: UUID, name: str, before: UUID | None = None, limit: int | None = None
) -> list[ScalingDecision]:
    return await call(
        conn, "list_scaling_decisions", ScalingDecision, org_id=org_id, name=name, before=before, limit=limit
    )
