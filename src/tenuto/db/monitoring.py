"""Queries for monitoring: one coroutine per public function in sql/monitoring/."""

from datetime import datetime, timedelta
from uuid import UUID

from tenuto.db.connection.call import Conn, call, call_one, call_value, call_values, json_or_default
from tenuto.model.json import JsonObject
from tenuto.model.maintenance import DueUpkeep, ParkedCount, ParkedRow
from tenuto.model.monitoring import (
    AttemptInfo,
    ChangeEvent,
    DispatcherInfo,
    IdleOpenRun,
    QueueStatus,
    RunInput,
    RunResult,
    RunState,
    RunStatus,
    RunSummary,
    TaskStatus,
    TaskSummary,
    WorkerStatus,
)
from tenuto.model.outbox import Effect
from tenuto.model.overview import Overview
from tenuto.model.queues import BlockedType, LimitStatus, QueueTime, UnservedTasks
from tenuto.model.run_data import AwaitedSignal, SignalInfo, StepInfo
from tenuto.model.workers import WorkerLife, WorkerLogEntry


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
    dedupe_key: str | None = None,
    since: datetime | None = None,
    statuses: list[str] | None = None,
    until: datetime | None = None,
    metadata: JsonObject | None = None,
) -> list[RunSummary]:
    return await call(
        conn,
        "list_runs",
        RunSummary,
        dedupe_key=dedupe_key,
        since=since,
        statuses=statuses,
        until=until,
        status=status,
        name=name,
        type=type,
        org_id=org_id,
        before=before,
        limit=limit,
        after=after,
        metadata=json_or_default(metadata),
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
    statuses: list[str] | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    external_id: str | None = None,
    metadata: JsonObject | None = None,
    job: str | None = None,
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
        statuses=statuses,
        since=since,
        until=until,
        external_id=external_id,
        metadata=json_or_default(metadata),
        job=job,
    )


async def list_attempts(conn: Conn, *, org_id: UUID, task_id: UUID) -> list[AttemptInfo]:
    return await call(conn, "list_attempts", AttemptInfo, org_id=org_id, task_id=task_id)


async def list_workers(
    conn: Conn, *, org_id: UUID, status: str | None = None, after: str | None = None, limit: int | None = None
) -> list[WorkerStatus]:
    return await call(conn, "list_workers", WorkerStatus, org_id=org_id, status=status, after=after, limit=limit)


async def get_worker(conn: Conn, *, org_id: UUID, worker_id: str) -> WorkerStatus:
    return await call_one(conn, "get_worker", WorkerStatus, org_id=org_id, worker_id=worker_id)


async def read_worker_logs(
    conn: Conn, *, org_id: UUID, worker_id: str, after: int | None = None, limit: int | None = None
) -> list[WorkerLogEntry]:
    return await call(
        conn, "read_worker_logs", WorkerLogEntry, org_id=org_id, worker_id=worker_id, after=after, limit=limit
    )


async def list_worker_history(
    conn: Conn, *, org_id: UUID, worker_id: str, before: int | None = None, limit: int | None = None
) -> list[WorkerLife]:
    return await call(
        conn, "list_worker_history", WorkerLife, org_id=org_id, worker_id=worker_id, before=before, limit=limit
    )


async def list_limits(
    conn: Conn,
    *,
    org_id: UUID,
    scope: str | None = None,
    after_scope: str | None = None,
    after_key: str | None = None,
    limit: int | None = None,
) -> list[LimitStatus]:
    return await call(
        conn,
        "list_limits",
        LimitStatus,
        org_id=org_id,
        scope=scope,
        after_scope=after_scope,
        after_key=after_key,
        limit=limit,
    )


async def get_limit(conn: Conn, *, org_id: UUID, scope: str, key: str) -> LimitStatus:
    return await call_one(conn, "get_limit", LimitStatus, org_id=org_id, scope=scope, key=key)


async def list_queues(conn: Conn, *, org_id: UUID) -> list[QueueStatus]:
    return await call(conn, "list_queues", QueueStatus, org_id=org_id)


async def list_steps(conn: Conn, *, org_id: UUID, task_id: UUID) -> list[StepInfo]:
    return await call(conn, "list_steps", StepInfo, org_id=org_id, task_id=task_id)


async def list_signals(conn: Conn, *, org_id: UUID, run_id: UUID) -> list[SignalInfo]:
    return await call(conn, "list_signals", SignalInfo, org_id=org_id, run_id=run_id)


async def list_awaited_signals(conn: Conn, *, org_id: UUID, run_id: UUID) -> list[AwaitedSignal]:
    return await call(conn, "list_awaited_signals", AwaitedSignal, org_id=org_id, run_id=run_id)


async def get_dedupe_key(conn: Conn, *, org_id: UUID, run_id: UUID) -> str | None:
    return await call_value(conn, "get_dedupe_key", org_id=org_id, run_id=run_id)


async def find_ids(conn: Conn, *, org_id: UUID, kind: str, digits: str, limit: int | None = None) -> list[UUID]:
    return await call_values(conn, "find_ids", org_id=org_id, kind=kind, digits=digits, limit=limit)


async def list_unserved(conn: Conn, *, org_id: UUID, limit: int | None = None) -> list[UnservedTasks]:
    return await call(conn, "list_unserved", UnservedTasks, org_id=org_id, limit=limit)


async def sample_queue_times(conn: Conn, *, org_id: UUID, seconds: float, limit: int | None = None) -> list[QueueTime]:
    return await call(conn, "sample_queue_times", QueueTime, org_id=org_id, seconds=seconds, limit=limit)


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


async def get_change_horizon(conn: Conn, *, tables: list[str] | None = None) -> datetime:
    return await call_value(conn, "get_change_horizon", tables=tables)


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


async def count_ended(conn: Conn, *, org_id: UUID, seconds: float | None = None) -> int:
    return await call_value(conn, "count_ended", org_id=org_id, seconds=seconds)


async def list_due_maintenance(conn: Conn) -> list[DueUpkeep]:
    return await call(conn, "list_due_maintenance", DueUpkeep)


async def list_dispatchers(conn: Conn) -> list[DispatcherInfo]:
    return await call(conn, "list_dispatchers", DispatcherInfo)


async def list_blocked(conn: Conn, *, org_id: UUID, limit: int | None = None) -> list[BlockedType]:
    return await call(conn, "list_blocked", BlockedType, org_id=org_id, limit=limit)


async def list_run_inputs(
    conn: Conn, *, org_id: UUID, run_id: UUID, after: int | None = None, limit: int | None = None
) -> list[RunInput]:
    return await call(conn, "list_run_inputs", RunInput, org_id=org_id, run_id=run_id, after=after, limit=limit)


async def list_open_runs(
    conn: Conn, *, org_id: UUID, older: timedelta | None = None, limit: int | None = None
) -> list[IdleOpenRun]:
    return await call(conn, "list_open_runs", IdleOpenRun, org_id=org_id, older=older, limit=limit)


async def list_parked(
    conn: Conn, *, org_id: UUID, run_id: UUID | None = None, limit: int | None = None
) -> list[ParkedRow]:
    return await call(conn, "list_parked", ParkedRow, org_id=org_id, run_id=run_id, limit=limit)


async def count_parked(conn: Conn) -> list[ParkedCount]:
    return await call(conn, "count_parked", ParkedCount)
