"""Workers and tasks that connect by HTTP: one coroutine per public function that checks their keys, sessions and
fences."""

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from tenuto.db.connection.call import Conn, call, call_one, call_void
from tenuto.db.connection.raw_statements import array_literal
from tenuto.model.identity import AdmittedWorkerKey, FoundWorkerKey
from tenuto.model.remote_workers import ExchangeRow, FoundFence, HeldTask
from tenuto.model.tasks import Unclaimable


async def find_worker_key(conn: Conn, *, key_id: str, hashes: list[bytes]) -> FoundWorkerKey:
    return await call_one(conn, "find_worker_key", FoundWorkerKey, key_id=key_id, hashes=hashes)


async def admit_worker_key(
    conn: Conn, *, key_id: str, hashes: list[bytes], rate: float, burst: float
) -> AdmittedWorkerKey:
    return await call_one(
        conn, "admit_worker_key", AdmittedWorkerKey, key_id=key_id, hashes=hashes, rate=rate, burst=burst
    )


async def check_session(conn: Conn, *, org_id: UUID, worker_key_id: UUID, session_id: int, token: UUID) -> None:
    await call_void(
        conn, "check_session", org_id=org_id, worker_key_id=worker_key_id, session_id=session_id, token=token
    )


async def exchange_tasks(
    conn: Conn,
    *,
    org_id: UUID,
    worker_key_id: UUID,
    session_id: int,
    token: UUID,
    task_ids: Sequence[str],
    attempts: Sequence[int],
    outputs: Sequence[str | None],
    claim_no: int,
    limit: int,
    types: list[str] | None = None,
    group: str | None = None,
    published: Sequence[str | None] | None = None,
) -> ExchangeRow:
    """Complete and claim tasks. Outputs and publications are JSON text. Arrays are sent as text literals, because
    converting their values one by one would cost more."""
    return await call_one(
        conn,
        "exchange_tasks",
        ExchangeRow,
        org_id=org_id,
        worker_key_id=worker_key_id,
        session_id=session_id,
        token=token,
        task_ids="{" + ",".join(task_ids) + "}",
        attempts="{" + ",".join(map(str, attempts)) + "}",
        outputs=array_literal(outputs) if outputs else "{}",
        claim_no=claim_no,
        limit=limit,
        types=types,
        group=group,
        published=array_literal(published) if published else None,
    )


async def find_fence(
    conn: Conn, *, org_id: UUID, task_id: UUID, attempt: int, session_id: int, held: bool | None = None
) -> FoundFence:
    return await call_one(
        conn,
        "find_fence",
        FoundFence,
        org_id=org_id,
        task_id=task_id,
        attempt=attempt,
        session_id=session_id,
        held=held,
    )


async def get_held_task(conn: Conn, *, org_id: UUID, task_id: UUID, worker_key_id: UUID | None = None) -> HeldTask:
    return await call_one(conn, "get_held_task", HeldTask, org_id=org_id, task_id=task_id, worker_key_id=worker_key_id)


async def postpone_unclaimable(
    conn: Conn, *, session_id: int, token: UUID, routes: list[int], limit: int, pause: timedelta | None = None
) -> list[Unclaimable]:
    return await call(
        conn,
        "postpone_unclaimable",
        Unclaimable,
        session_id=session_id,
        token=token,
        routes=routes,
        limit=limit,
        pause=pause,
    )
