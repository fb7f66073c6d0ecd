"""Implements the operations of the command line by calling the SQL functions directly."""

import asyncio
from contextlib import suppress
from datetime import datetime
from hashlib import sha256
from io import BytesIO
from uuid import UUID

from tenuto.db import (
    bundles,
    details,
    identity,
    maintenance,
    monitoring,
    outbox,
    overview,
    pools,
    reactions,
    run_data,
    runs,
    schedules,
    task_types,
    workers,
)
from tenuto.db.bundle_upload import upload_bundle
from tenuto.db.connection.pool import ConnectionPool
from tenuto.model.bundles import StoredBundle, WholeBundle, read_bundle
from tenuto.model.details import RunExplanation, TaskDetails
from tenuto.model.errors import NotFound
from tenuto.model.identity import ResourceGroup
from tenuto.model.json import JsonObject
from tenuto.model.monitoring import DispatcherInfo, QueueStatus, TaskStatus, WorkerStatus
from tenuto.model.os_user import os_user
from tenuto.model.outbox import EffectSummary
from tenuto.model.overview import OrgStatus
from tenuto.model.pools import PoolMachine, PoolStatus, ScalingDecision
from tenuto.model.queues import LimitStatus
from tenuto.model.run_data import LogLine, RunDataItem, RunLogLine
from tenuto.model.run_requests import RunProgress
from tenuto.model.schedules import Schedule, ScheduleUpdate
from tenuto.model.task_types import TaskType, TaskTypeSummary
from tenuto.model.tasks import Started, TreeNode
from tenuto.model.workers import WorkerLife, WorkerLogEntry
from tenuto.sdk.client.input_checks import check_inputs
from tenuto.sdk.client.sql_transport import SqlTransport
from tenuto.sdk.client.start_request import StartRequest
from tenuto.sdk.client.transport import PAGE
from tenuto.sdk.values.input_validator import InputValidator, StepBudget, StepsExhausted
from tenuto.storage.base import Store

MAX_STEPS = 1_000_000  # of the check of one start, about a second


class SqlOperations(SqlTransport):
    """Connects commands or a client to one org of one database."""

    def __init__(
        self, pool: ConnectionPool, org_id: UUID, store: Store, *, url: str, installation: str | None = None
    ) -> None:
        super().__init__(pool, org_id, store)
        self.url, self.installation = url, installation  # TENUTO_INSTALLATION

    async def get_task(self, task_id: UUID) -> TaskStatus:
        return await self.pool.call(monitoring.get_task, org_id=self.org_id, task_id=task_id)

    async def get_task_details(self, task_id: UUID) -> TaskDetails:
        return await self.pool.call(details.get_task_details, org_id=self.org_id, task_id=task_id)

    async def get_task_tree(self, task_id: UUID) -> list[TreeNode]:
        nodes = await self.pool.call(runs.get_task_tree, org_id=self.org_id, task_id=task_id)
        if not nodes:
            raise NotFound(f"no task {task_id}", "`tenuto tasks list` shows the tasks")
        return nodes

    async def cancel_task(self, task_id: UUID, reason: str | None) -> None:
        await self.pool.call(runs.cancel_task, org_id=self.org_id, task_id=task_id, reason=reason)

    async def explain_run(self, run_id: UUID) -> RunExplanation:
        return await self.pool.call(details.explain_run, org_id=self.org_id, run_id=run_id)

    async def read_logs(self, task_id: UUID, *, after_attempt: int, after_line: int) -> list[LogLine]:
        return await self.pool.call(
            run_data.read_logs, org_id=self.org_id, task_id=task_id, after_attempt=after_attempt, after_line=after_line
        )

    async def read_run_logs(
        self,
        run_id: UUID,
        *,
        after: datetime | None = None,
        after_task: UUID | None = None,
        after_attempt: int | None = None,
        after_line: int | None = None,
    ) -> list[RunLogLine]:
        return await self.pool.call(
            run_data.read_run_logs,
            org_id=self.org_id,
            run_id=run_id,
            after=after,
            after_task=after_task,
            after_attempt=after_attempt,
            after_line=after_line,
        )

    async def advance_request(self, run_id: UUID) -> RunProgress | None:
        requests = await self.pool.call(runs.get_request, org_id=self.org_id, run_id=run_id)
        if not requests:
            return None
        (request,) = requests
        key = f"{request.action}:{run_id}"
        if not await self.pool.call(maintenance.advance_requests, limit=1, keys=[key]):
            await asyncio.sleep(0.2)  # a dispatcher is working on it
        return request.progress

    async def start_checked(self, request: StartRequest) -> Started:
        await self._check_start(request)
        (started,) = await self.start([request])
        return started

    async def add_checked(self, run_id: UUID, request: StartRequest) -> list[UUID]:
        await self._check_start(request)
        return await self.add_tasks(run_id, request)

    async def _check_start(self, request: StartRequest) -> None:
        types = sorted({str(kind["type"]) for kind in request.kinds})
        queues = sorted({str(kind["queue"]) for kind in request.kinds if "queue" in kind})
        await self.pool.call(task_types.check_known, org_id=self.org_id, types=types, queues=queues)
        schemas = await self.pool.call(task_types.get_input_schemas, org_id=self.org_id, types=types)
        validators = {schema.type: InputValidator(schema.type, schema.input_schema) for schema in schemas}
        with suppress(StepsExhausted):  # the worker checks the rest
            check_inputs([request], validators, StepBudget(MAX_STEPS))

    async def get_schedule(self, name: str) -> Schedule:
        return await self.pool.call(reactions.get_schedule, org_id=self.org_id, name=name)

    async def update_schedule(self, name: str, changes: ScheduleUpdate) -> Schedule:
        _, updated = await self.pool.call(schedules.update, org_id=self.org_id, name=name, changes=changes)
        return updated

    async def list_queues(self) -> list[QueueStatus]:
        return await self.pool.call(monitoring.list_queues, org_id=self.org_id)

    async def pause_queue(self, queue: str, *, new: bool) -> None:
        await self.pool.call(runs.pause_queue, org_id=self.org_id, queue=queue, new=new)

    async def resume_queue(self, queue: str) -> None:
        await self.pool.call(runs.resume_queue, org_id=self.org_id, queue=queue)

    async def list_workers(
        self, *, status: str | None = None, after: str | None = None, limit: int = PAGE
    ) -> list[WorkerStatus]:
        return await self.pool.call(
            monitoring.list_workers, org_id=self.org_id, status=status, after=after, limit=limit
        )

    async def get_worker(self, worker_id: str) -> WorkerStatus:
        return await self.pool.call(monitoring.get_worker, org_id=self.org_id, worker_id=worker_id)

    async def read_worker_logs(
        self, worker_id: str, *, after: int | None = None, limit: int = PAGE
    ) -> list[WorkerLogEntry]:
        return await self.pool.call(
            monitoring.read_worker_logs, org_id=self.org_id, worker_id=worker_id, after=after, limit=limit
        )

    async def list_worker_history(
        self, worker_id: str, *, before: int | None = None, limit: int = PAGE
    ) -> list[WorkerLife]:
        return await self.pool.call(
            monitoring.list_worker_history, org_id=self.org_id, worker_id=worker_id, before=before, limit=limit
        )

    async def drain_worker(self, worker_id: str, reason: str | None) -> None:
        await self.pool.call(workers.drain_worker, org_id=self.org_id, worker_id=worker_id, reason=reason)

    async def terminate_worker(self, worker_id: str) -> None:
        await self.pool.call(workers.terminate_worker, org_id=self.org_id, worker_id=worker_id)

    async def list_effects(
        self, *, status: str | None = None, kind: str | None = None, before: int | None = None, limit: int = PAGE
    ) -> list[EffectSummary]:
        effects = await self.pool.call(
            monitoring.list_effects, org_id=self.org_id, status=status, kind=kind, before=before, limit=limit
        )
        return [effect.summary() for effect in effects]

    async def replay_effects(self, ids: list[int] | None, kind: str | None) -> list[int]:
        return await self.pool.call(outbox.replay_effects, org_id=self.org_id, ids=ids, kind=kind)

    async def list_types(self, *, after: str | None = None, limit: int = PAGE) -> list[TaskTypeSummary]:
        return await self.pool.call(task_types.list_task_types, org_id=self.org_id, after=after, limit=limit)

    async def get_type(self, type: str) -> TaskType:
        return await self.pool.call(task_types.get_task_type, org_id=self.org_id, type=type)

    async def list_limits(
        self, *, scope: str | None = None, after: str | None = None, limit: int = PAGE
    ) -> list[LimitStatus]:
        after_scope, _, after_key = after.partition(":") if after else (None, None, None)
        return await self.pool.call(
            monitoring.list_limits,
            org_id=self.org_id,
            scope=scope,
            after_scope=after_scope,
            after_key=after_key,
            limit=limit,
        )

    async def get_limit(self, scope: str, key: str) -> LimitStatus:
        return await self.pool.call(monitoring.get_limit, org_id=self.org_id, scope=scope, key=key)

    async def set_limit(self, scope: str, key: str, size: int) -> None:
        await self.pool.call(task_types.set_limit, org_id=self.org_id, scope=scope, key=key, size=size)

    async def reset_limit(self, scope: str, key: str) -> None:
        await self.pool.call(task_types.reset_limit, org_id=self.org_id, scope=scope, key=key)

    async def list_pools(self, *, after: str | None = None, limit: int = PAGE) -> list[PoolStatus]:
        return await self.pool.call(pools.list_pools, org_id=self.org_id, after=after, limit=limit)

    async def get_pool(self, name: str) -> PoolStatus:
        (pool,) = await self.pool.call(pools.list_pools, org_id=self.org_id, name=name)
        return pool

    async def set_pool(self, name: str, policy: JsonObject) -> None:
        await self.pool.call(pools.set_pool, org_id=self.org_id, name=name, policy=policy)

    async def delete_pool(self, name: str, *, force: bool) -> None:
        await self.pool.call(pools.delete_pool, org_id=self.org_id, name=name, force=force)

    async def request_machines(self, name: str, count: int) -> int:
        return await self.pool.call(pools.request_machines, org_id=self.org_id, name=name, count=count)

    async def list_pool_machines(self, name: str) -> list[PoolMachine]:
        return await self.pool.call(pools.list_pool_machines, org_id=self.org_id, name=name)

    async def list_scaling_decisions(
        self, name: str, *, before: UUID | None = None, limit: int = PAGE
    ) -> list[ScalingDecision]:
        return await self.pool.call(
            pools.list_scaling_decisions, org_id=self.org_id, name=name, before=before, limit=limit
        )

    async def list_dispatchers(self) -> list[DispatcherInfo]:
        return await self.pool.call(monitoring.list_dispatchers)

    async def get_status(self) -> OrgStatus:
        return await self.pool.call(overview.get_status, org_id=self.org_id, installation=self.installation)

    async def list_groups(self, *, after: str | None = None, limit: int = PAGE) -> list[ResourceGroup]:
        return await self.pool.call(identity.list_groups, org_id=self.org_id, after=after, limit=limit)

    async def get_group(self, external_id: str) -> ResourceGroup:
        return await self.pool.call(identity.get_group, org_id=self.org_id, external_id=external_id)

    async def set_group(self, external_id: str, *, weight: int, quota: int | None) -> UUID:
        return await self.pool.call(
            identity.set_resource_group, org_id=self.org_id, external_id=external_id, weight=weight, quota=quota
        )

    async def list_bundles(self, *, before: UUID | None = None, limit: int = PAGE) -> list[StoredBundle]:
        return await self.pool.call(bundles.list_bundles, org_id=self.org_id, before=before, limit=limit)

    async def get_bundle(self, sha256: str) -> WholeBundle:
        return await self.pool.call(bundles.get_bundle, org_id=self.org_id, sha256=sha256)

    async def put_bundle(self, content: bytes) -> WholeBundle:
        file, hash = BytesIO(content), sha256(content).hexdigest()
        bundle = read_bundle(file).verify()
        async with self.pool.connection() as conn, conn.transaction():
            await upload_bundle(
                conn,
                org_id=self.org_id,
                bundle=bundle,
                file=file,
                sha256=hash,
                size=len(content),
                created_by=os_user(),
            )
            return await bundles.get_bundle(conn, org_id=self.org_id, sha256=hash)

    async def delete_bundle(self, sha256: str) -> None:
        await self.pool.call(bundles.delete_bundle, org_id=self.org_id, sha256=sha256)

    async def get_run_data_value(self, data_id: UUID) -> RunDataItem:
        return await self.pool.call(run_data.get_run_data_value, org_id=self.org_id, data_id=data_id)

    async def get_run_data_by_key(self, run_id: UUID, key: str) -> RunDataItem:
        return await self.pool.call(run_data.get_run_data_value, org_id=self.org_id, run_id=run_id, key=key)
