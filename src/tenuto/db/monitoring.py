"""Queries for monitoring: one coroutine per public function in sql/monitoring/."""

from datetime import datetime
from uuid import UUID

from tenuto.db.connection.call import Conn, call, call_one, call_value
from tenuto.model.maintenance import DueUpkeep, ParkedCount, ParkedRow
from tenuto.model.monitoring import (
    AttemptInfo,
    ChangeEvent,
    DispatcherInfo,
    Overview,
    QueueStatus,
    RunResult,
    RunState,
    RunStatus,
    RunSummary,
    TaskStatus,
    TaskSummary,
    WorkerStatus,
)
from tenuto.model.outbox import Effect


async def get_run(conn: Conn, *, org_id: UUID, run_id: UUID) -> RunStatus:
    return await call_one(conn, "get_run", RunStatus, org_id=org_id, run_id=run_id)


async def get_task(conn: Conn, *, org_id: UUID, task_id: UUID) -> TaskStatus:
    return await call_one(conn, "get_task", TaskStatus, org_id=org_id, task_id=task_id)


async def get_run_statuses(conn: Conn, *, org_id: UUID, run_ids: list[UUID]) -> list[RunState]:
    return await call(conn, "get_run_statuses", RunState, org_id=org_id, run_ids=run_ids)


async def poll_runs(conn: Conn, *, org_id: UUID, run_ids: list[UUID]) -> list[RunResult]:
    return await call(conn, "poll_runs", RunResult, org_id=org_id, run_ids=run_ids)


async def list_runs(
    conn: Conn,
    *,
    org_id: UUID,
    status: str | None = None,
    name: str | None = None,
    type: str | None = None,
    before: UUID | None = None,
    limit: int | None = None,
    after: UUID | None = None,
) -> list[RunSummary]:
    return await call(
        conn,
        "list_runs",
        RunSummary,
        status=status,
        name=name,
        type=type,
        org_id=org_id,
        before=before,
        limit=limit,
        after=after,
    )


async def list_tasks(
    conn: Conn,
    *,
    org_id: UUID,
    run_id: UUID | None = None,
    status: str | None = None,
    queue: str | None = None,
    type: str | None = None,
    before: UUID | None = None,
    limit: int | None = None,
    after: UUID | None = None,
) -> list[TaskSummary]:
    return await call(
        conn,
        "list_tasks",
        TaskSummary,
        run_id=run_id,
        status=status,
        queue=queue,
        type=type,
        org_id=org_id,
        before=before,
        limit=limit,
        after=after,
    )


async def list_attempts(conn: Conn, *, org_id: UUID, task_id: UUID) -> list[AttemptInfo]:
    return await call(conn, "list_attempts", AttemptInfo, org_id=org_id, task_id=task_id)


async def list_workers(
    conn: Conn, *, org_id: UUID, status: str | None = None, after: str | None = None, limit: int | None = None
) -> list[WorkerStatus]:
    return await call(conn, "list_workers", WorkerStatus, org_id=org_id, status=status, after=after, limit=limit)


async def list_queues(conn: Conn, *, org_id: UUID) -> list[QueueStatus]:
    return await call(conn, "list_queues", QueueStatus, org_id=org_id)


async def list_effects(
    conn: Conn,
    *,
    org_id: UUID,
    status: str | None = None,
    kind: str | None = None,
    before: int | None = None,
    limit: int | None = None,
) -> list[Effect]:
    return await call(conn, "list_effects", Effect, status=status, kind=kind, org_id=org_id, before=before, limit=limit)


async def get_change_horizon(conn: Conn) -> datetime:
    return await call_value(conn, "get_change_horizon")


async def index_recent_changes(conn: Conn) -> int:
    return await call_value(conn, "index_recent_changes")


async def list_changes(
    conn: Conn,
    *,
    org_id: UUID,
    after: datetime,
    until: datetime,
    after_id: str | None = None,
    after_no: int | None = None,
    limit: int | None = None,
) -> list[ChangeEvent]:
    return await call(
        conn,
        "list_changes",
        ChangeEvent,
        org_id=org_id,
        limit=limit,
        after=after,
        until=until,
        after_id=after_id,
        after_no=after_no,
    )


async def explain_task(conn: Conn, *, org_id: UUID, task_id: UUID) -> str:
    return await call_value(conn, "explain_task", org_id=org_id, task_id=task_id)


async def get_overview(conn: Conn, *, org_id: UUID) -> Overview:
    return await call_one(conn, "get_overview", Overview, org_id=org_id)


async def list_due_maintenance(conn: Conn) -> list[DueUpkeep]:
    return await call(conn, "list_due_maintenance", DueUpkeep)


async def take_due_maintenance(conn: Conn, *, dispatcher_id: UUID, loops: list[str]) -> list[DueUpkeep]:
    return await call(conn, "take_due_maintenance", DueUpkeep, dispatcher_id=dispatcher_id, loops=loops)


async def list_dispatchers(conn: Conn) -> list[DispatcherInfo]:
    return await call(conn, "list_dispatchers", DispatcherInfo)


async def list_parked(
    conn: Conn, *, org_id: UUID, run_id: UUID | None = None, limit: int | None = None
) -> list[ParkedRow]:
    return await call(conn, "list_parked", ParkedRow, org_id=org_id, run_id=run_id, limit=limit)


async def count_parked(conn: Conn) -> list[ParkedCount]:
    return await call(conn, "count_parked", ParkedCount)
