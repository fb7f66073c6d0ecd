"""Implements the client's operations by calling the SQL functions directly."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from uuid import UUID

from tenuto.db import maintenance, monitoring, reactions, run_data, runs, schedules
from tenuto.db.connection import start_statements
from tenuto.db.connection.pool import ConnectionPool
from tenuto.model.cron import fire_after
from tenuto.model.ids import uuid7
from tenuto.model.json import Json, JsonObject
from tenuto.model.monitoring import RunResult, RunStatus, RunSummary, TaskSummary
from tenuto.model.schedules import Schedule
from tenuto.model.tasks import Started
from tenuto.sdk.client.start_many import BulkStart
from tenuto.sdk.client.start_request import StartRequest
from tenuto.sdk.client.transport import PAGE
from tenuto.sdk.values.stored_objects import Objects
from tenuto.sdk.values.wire_format import load
from tenuto.storage.base import Store


class SqlTransport:
    """Connects a client to one org of one database."""

    poll_seconds = 0.0

    def __init__(self, pool: ConnectionPool, org_id: UUID, store: Store) -> None:
        self.pool, self.org_id, self.store = pool, org_id, store
        self.objects = Objects(pool, org_id, store)

    async def start(self, plans: Sequence[StartRequest]) -> list[Started]:
        if len(plans) == 1 and plans[0].is_bare():
            return [await self._start_task(plans[0])]
        return await self._ask([plan.statement(self.org_id) for plan in plans])

    async def _start_task(self, plan: StartRequest) -> Started:
        id = uuid7()
        kind, group = json.dumps(plan.kinds[0]), plan.run.get("group")
        await self.pool.call(runs.start_task, org_id=self.org_id, kind=kind, input=plan.inputs[0], id=id, group=group)
        return Started(UUID(id), True)

    async def start_many(self, many: BulkStart) -> Sequence[UUID | str]:
        started = await self._ask(many.statements(self.org_id)) if many.ids else []
        return [start.run_id for start in started] or many.ids

    async def _ask(self, statements: list[start_statements.Statement]) -> list[Started]:
        async with self.pool.connection(timeout=30.0 + 5 * len(statements)) as conn:
            if len(statements) == 1:
                return await start_statements.execute_start(conn, statements[0])
            async with conn.transaction():
                return [
                    start for statement in statements for start in await start_statements.execute_start(conn, statement)
                ]

    async def poll_runs(self, run_ids: list[UUID], wait: float) -> list[RunResult]:  # noqa: ARG002 - SQL does not wait
        return await self.pool.call(monitoring.poll_runs, org_id=self.org_id, run_ids=run_ids)

    async def get_run(self, run_id: UUID) -> RunStatus:
        return await self.pool.call(monitoring.get_run, org_id=self.org_id, run_id=run_id)

    async def list_runs(
        self, *, status: str | None, name: str | None, type: str | None, before: UUID | None, limit: int
    ) -> list[RunSummary]:
        return await self.pool.call(
            monitoring.list_runs,
            org_id=self.org_id,
            status=status,
            name=name,
            type=type,
            before=before,
            limit=limit,
        )

    async def list_tasks(self, run_id: UUID, *, before: UUID | None, limit: int) -> list[TaskSummary]:
        return await self.pool.call(
            monitoring.list_tasks, org_id=self.org_id, run_id=run_id, before=before, limit=limit
        )

    async def cancel_run(self, run_id: UUID, reason: str | None) -> None:
        await self.pool.call(runs.cancel_run, org_id=self.org_id, run_id=run_id, reason=reason)

    async def retry_run(self, run_id: UUID, *, reuse: bool) -> UUID:
        return await self.pool.call(runs.retry_run, org_id=self.org_id, run_id=run_id, reuse=reuse)

    async def delete_run(self, run_id: UUID) -> None:
        await self.pool.call(runs.delete_run, org_id=self.org_id, run_id=run_id)

    async def send_signal(self, run_id: UUID, name: str, value: Json) -> None:
        await self.pool.call(runs.send_signal, org_id=self.org_id, run_id=run_id, name=name, value=value)

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

    async def put_run_data(self, run_id: UUID, values: JsonObject, tags: list[str] | None) -> None:
        await self.pool.call(run_data.put_run_data, org_id=self.org_id, run_id=run_id, values=values, tags=tags)

    async def put_object(self, data: bytes, type: str, metadata: Mapping[str, Json] | None) -> UUID:
        kept = None if metadata is None else dict(metadata)
        return (await self.objects.put(data, type=type, metadata=kept)).id

    async def get_object(self, object_id: UUID) -> bytes:
        return await self.objects.get(object_id)

    async def list_schedules(self, after: str | None) -> list[Schedule]:
        return await self.pool.call(reactions.list_schedules, org_id=self.org_id, after=after, limit=PAGE)

    async def put_schedule(
        self, name: str, plan: StartRequest, *, cron: str, timezone: str, catch_up: str, jitter_seconds: float
    ) -> Schedule:
        details = {key: value for key, value in (plan.details or [{}])[0].items() if key in ("limits", "metadata")}
        next_at = fire_after(cron, timezone, await self.pool.call(maintenance.now))
        return await self.pool.call(
            reactions.put_schedule,
            org_id=self.org_id,
            name=name,
            kind=plan.kinds[0],
            input=load(plan.inputs[0]),
            details=details or None,
            next_at=next_at,
            cron=cron,
            timezone=timezone,
            catch_up=catch_up,
            jitter_seconds=jitter_seconds,
        )

    async def pause_schedule(self, name: str) -> None:
        await self.pool.call(reactions.pause_schedule, org_id=self.org_id, name=name)

    async def resume_schedule(self, name: str) -> None:
        await self.pool.call(schedules.resume, org_id=self.org_id, name=name)

    async def delete_schedule(self, name: str) -> None:
        await self.pool.call(reactions.delete_schedule, org_id=self.org_id, name=name)
