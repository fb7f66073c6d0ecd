"""Implements the client's operations by calling the SQL functions directly."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from uuid import UUID

from tenuto.db import audit, counts, identity, maintenance, monitoring, reactions, run_data, runs, schedules
from tenuto.db import metadata as metadata_calls
from tenuto.db.connection import start_statements
from tenuto.model.audit import AuditEntry
from tenuto.model.counts import Count
from tenuto.model.cron import fire_after
from tenuto.model.filters import AuditListFilter, RunListFilter, TaskListFilter
from tenuto.model.ids import uuid7
from tenuto.model.json import Json, JsonObject
from tenuto.model.monitoring import RunInput, RunResult, RunStatus, RunSummary, TaskSummary
from tenuto.model.run_data import AwaitedSignal
from tenuto.model.schedules import Schedule
from tenuto.model.tasks import Started
from tenuto.sdk.client import signals
from tenuto.sdk.client.open_runs import add_statement
from tenuto.sdk.client.sql_objects import SqlObjects
from tenuto.sdk.client.start_many import BulkStart
from tenuto.sdk.client.start_request import RunOptions, StartRequest
from tenuto.sdk.client.transport import PAGE
from tenuto.sdk.values.wire_format import load


class SqlTransport(SqlObjects):
    """Connects a client to one org of one database. The operations on data objects and on many runs are in the base
    classes."""

    poll_seconds = 0.0
    weak_queries = False  # run queries even if this machine cannot confine their process fully

    @property
    def problem(self) -> str | None:
        return self.pool.problem

    async def start(self, requests: Sequence[StartRequest]) -> list[Started]:
        if len(requests) == 1 and requests[0].is_bare():
            return [await self._start_task(requests[0])]
        return await self._ask([request.statement(self.org_id) for request in requests])

    async def _start_task(self, request: StartRequest) -> Started:
        id = uuid7()
        kind, group = json.dumps(request.kinds[0]), request.run.get("group")
        await self.pool.call(
            runs.start_task, org_id=self.org_id, kind=kind, input=request.inputs[0], id=id, group=group
        )
        return Started(UUID(id), True)

    async def start_many(self, many: BulkStart) -> list[Started]:
        return await self._ask(many.statements(self.org_id)) if many.ids else []

    async def _ask(self, statements: list[start_statements.Statement]) -> list[Started]:
        async with self.pool.connection(timeout=30.0 + 5 * len(statements)) as conn:
            if len(statements) == 1:
                return await start_statements.execute_start(conn, statements[0])
            async with conn.transaction():
                return [
                    start for statement in statements for start in await start_statements.execute_start(conn, statement)
                ]

    async def open_run(self, run: RunOptions) -> Started:
        (started,) = await self._ask([start_statements.open_run(org_id=self.org_id, run=json.dumps(run))])
        return started

    async def add_tasks(self, run_id: UUID, request: StartRequest) -> list[UUID]:
        added = await self._ask([add_statement(request, self.org_id, run_id)])
        return [task.run_id for task in added]

    async def close_run(self, run_id: UUID) -> None:
        await self.pool.call(runs.close_run, org_id=self.org_id, run_id=run_id)

    async def release_run(self, run_id: UUID) -> bool:
        return await self.pool.call(runs.release_run, org_id=self.org_id, run_id=run_id)

    async def poll_runs(self, run_ids: list[UUID], wait: float) -> list[RunResult]:  # noqa: ARG002 - SQL does not wait
        return await self.pool.call(monitoring.poll_runs, org_id=self.org_id, run_ids=run_ids)

    async def get_run(self, run_id: UUID) -> RunStatus:
        return await self.pool.call(monitoring.get_run, org_id=self.org_id, run_id=run_id)

    async def list_runs(
        self, filter: RunListFilter, *, before: UUID | None = None, limit: int = PAGE
    ) -> list[RunSummary]:
        return await self.pool.call(
            monitoring.list_runs,
            org_id=self.org_id,
            statuses=filter.statuses,
            name=filter.name,
            type=filter.type,
            dedupe_key=filter.dedupe_key,
            since=filter.since,
            until=filter.until,
            before=before,
            limit=limit,
            metadata=filter.metadata,
        )

    async def count_runs(self, filter: RunListFilter) -> Count:
        return await self.pool.call(
            counts.count_runs,
            org_id=self.org_id,
            statuses=filter.statuses,
            name=filter.name,
            type=filter.type,
            since=filter.since,
            until=filter.until,
            metadata=filter.metadata,
        )

    async def list_tasks(
        self, filter: TaskListFilter, *, before: UUID | None = None, limit: int = PAGE
    ) -> list[TaskSummary]:
        return await self.pool.call(
            monitoring.list_tasks,
            org_id=self.org_id,
            run_id=filter.run_id,
            statuses=filter.statuses,
            queue=filter.queue,
            type=filter.type,
            job=filter.job,
            external_id=filter.external_id,
            since=filter.since,
            until=filter.until,
            before=before,
            limit=limit,
            metadata=filter.metadata,
        )

    async def count_tasks(self, filter: TaskListFilter) -> Count:
        return await self.pool.call(
            counts.count_tasks,
            org_id=self.org_id,
            run_id=filter.run_id,
            statuses=filter.statuses,
            queue=filter.queue,
            type=filter.type,
            job=filter.job,
            since=filter.since,
            until=filter.until,
            metadata=filter.metadata,
        )

    async def list_run_inputs(self, run_id: UUID, *, after: int = -1, limit: int = PAGE) -> list[RunInput]:
        return await self.pool.call(
            monitoring.list_run_inputs, org_id=self.org_id, run_id=run_id, after=after, limit=limit
        )

    async def explain_task(self, task_id: UUID) -> str:
        return await self.pool.call(monitoring.explain_task, org_id=self.org_id, task_id=task_id)

    async def cancel_run(self, run_id: UUID, reason: str | None) -> bool:
        return await self.pool.call(runs.cancel_run, org_id=self.org_id, run_id=run_id, reason=reason)

    async def retry_run(self, run_id: UUID, *, reuse: bool, force: bool, from_name: str | None) -> UUID:
        return await self.pool.call(
            runs.retry_run, org_id=self.org_id, run_id=run_id, reuse=reuse, force=force, from_name=from_name
        )

    async def delete_run(self, run_id: UUID) -> bool:
        return await self.pool.call(runs.delete_run, org_id=self.org_id, run_id=run_id)

    async def set_run_metadata(self, run_id: UUID, changes: JsonObject) -> None:
        await self.pool.call(metadata_calls.set_run_metadata, org_id=self.org_id, run_id=run_id, changes=changes)

    async def set_task_metadata(self, task_id: UUID, changes: JsonObject) -> None:
        await self.pool.call(metadata_calls.set_task_metadata, org_id=self.org_id, task_id=task_id, changes=changes)

    async def delete_task(self, task_id: UUID) -> None:
        await self.pool.call(runs.delete_task, org_id=self.org_id, task_id=task_id)

    async def delete_group(self, name: str) -> None:
        await self.pool.call(identity.delete_group, org_id=self.org_id, external_id=name)

    async def send_signal(self, run_id: UUID, name: str, value: Json) -> UUID:
        return await self.pool.call(signals.send_signal, org_id=self.org_id, run_id=run_id, name=name, value=value)

    async def list_awaited_signals(self, run_id: UUID) -> list[AwaitedSignal]:
        return await self.pool.call(monitoring.list_awaited_signals, org_id=self.org_id, run_id=run_id)

    async def get_run_data(
        self,
        run_id: UUID,
        *,
        keys: list[str] | None = None,
        prefix: str | None = None,
        glob: str | None = None,
        tags: list[str] | None = None,
        all_tags: bool | None = None,
        history: bool | None = None,
    ) -> list[JsonObject]:
        rows = await self.pool.call(
            run_data.get_run_data,
            org_id=self.org_id,
            run_id=run_id,
            keys=keys,
            prefix=prefix,
            glob=glob,
            tags=tags,
            all_tags=all_tags,
            history=history,
        )
        return [asdict(row) for row in rows]

    async def put_run_data(
        self, run_id: UUID, values: JsonObject, tags: list[str] | None, metadata: JsonObject | None
    ) -> None:
        await self.pool.call(
            run_data.put_run_data, org_id=self.org_id, run_id=run_id, values=values, tags=tags, metadata=metadata
        )

    async def list_schedules(self, after: str | None, limit: int = PAGE) -> list[Schedule]:
        return await self.pool.call(reactions.list_schedules, org_id=self.org_id, after=after, limit=limit)

    async def put_schedule(
        self, name: str, request: StartRequest, *, cron: str, timezone: str, catch_up: str, jitter_seconds: float
    ) -> Schedule:
        details = {key: value for key, value in (request.details or [{}])[0].items() if key in ("limits", "metadata")}
        next_at = fire_after(cron, timezone, await self.pool.call(maintenance.now))
        return await self.pool.call(
            reactions.put_schedule,
            org_id=self.org_id,
            name=name,
            kind=request.kinds[0],
            input=load(request.inputs[0]),
            details=details or None,
            next_at=next_at,
            cron=cron,
            timezone=timezone,
            catch_up=catch_up,
            jitter_seconds=jitter_seconds,
        )

    async def pause_schedule(self, name: str) -> None:
        await self.pool.call(reactions.pause_schedule, org_id=self.org_id, name=name)

    async def resume_schedule(self, name: str) -> datetime:
        return await self.pool.call(schedules.resume, org_id=self.org_id, name=name)

    async def fire_schedule(self, name: str) -> UUID:
        return await self.pool.call(reactions.fire_schedule_now, org_id=self.org_id, name=name)

    async def delete_schedule(self, name: str) -> None:
        await self.pool.call(reactions.delete_schedule, org_id=self.org_id, name=name)

    async def list_audit(
        self, filter: AuditListFilter, *, before: UUID | None = None, limit: int = PAGE
    ) -> list[AuditEntry]:
        return await self.pool.call(
            audit.list_audit,
            org_id=self.org_id,
            entity=filter.entity,
            entity_id=filter.entity_id,
            action=filter.action,
            actor_id=filter.actor_id,
            ip=filter.ip,
            since=filter.since,
            until=filter.until,
            before=before,
            limit=limit,
        )
