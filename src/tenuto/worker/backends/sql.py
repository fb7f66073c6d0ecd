"""The SQL backend: for workers that have a database login."""

import logging
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any
from uuid import UUID

from tenuto.db import attempts, bundles, run_data, runs, schedules, task_types, workers
from tenuto.db.connection import claim_connection
from tenuto.db.connection.call import Conn, call, json_array
from tenuto.db.connection.errors import DatabaseProblem
from tenuto.db.connection.listener import listen
from tenuto.db.connection.pool import ConnectionPool, open_pool
from tenuto.db.install.schema_check import wait_for_other_functions
from tenuto.model.bundles import BundleFile
from tenuto.model.json import JsonObject
from tenuto.model.tasks import Fences, HeartbeatResult, ProgressResult, ReportResult, Route
from tenuto.model.workers import Session, Wakeup
from tenuto.sdk.app import App
from tenuto.storage import open_store
from tenuto.worker.backends.schedules import schedules_of
from tenuto.worker.backends.sql_attempt_api import SqlAttemptApis
from tenuto.worker.process.session import WorkerSession
from tenuto.worker.settings import WorkerSettings

log = logging.getLogger("tenuto.worker")


class SqlBackend:
    """Uses a small connection pool for calls of the event loop, and one connection per claimer."""

    def __init__(self, pool: ConnectionPool, settings: WorkerSettings) -> None:
        self._pool, self._settings, self._org_id = pool, settings, UUID(settings.org_id)

    def open_channel(self) -> claim_connection.ClaimConnection:
        connection = claim_connection.open_claim_connection(self._settings.url, 0, "", [], role=self._settings.role)
        connection.group = self._settings.resource_group
        return connection

    def open_apis(self, session: WorkerSession) -> SqlAttemptApis:
        settings = self._settings
        store = open_store(settings.storage)
        return SqlAttemptApis(self._pool, session, self._org_id, store, weak_queries=settings.weak_queries)

    def listen(self) -> AsyncIterator[Wakeup]:
        return listen(self._settings.url)

    async def register_worker(self, *, address: str, metadata: dict[str, Any]) -> Session:
        settings = self._settings
        return await self._pool.call(
            workers.register_worker,
            org_id=self._org_id,
            worker_id=settings.name,
            labels=settings.labels,
            address=address,
            metadata=metadata,
            lease=timedelta(seconds=settings.lease),
            installation=settings.installation,
            store=open_store(settings.storage).root,
        )

    async def close_session(self, session: Session) -> None:
        await self._pool.call(workers.close_session, session_id=session.session_id, token=session.token)

    async def heartbeat(
        self,
        held: Fences,
        *,
        settled: int | None,
        metrics: JsonObject | None = None,
        logs: list[JsonObject] | None = None,
    ) -> HeartbeatResult:
        return await self._pool.call(
            attempts.heartbeat,
            session_id=held.session.session_id,
            token=held.session.token,
            task_ids=held.task_ids,
            attempts=held.attempts,
            settled=settled,
            metrics=metrics,
            logs=logs,
        )

    async def declare_types(
        self, session: Session, types: dict[str, dict[str, Any]], schemas: dict[str, JsonObject]
    ) -> dict[str, str]:
        declared = await self._pool.call(
            task_types.declare_types, session_id=session.session_id, token=session.token, types=types, schemas=schemas
        )
        return {one.type: one.schema_problem for one in declared if one.schema_problem is not None}

    async def resolve_routes(self, session: Session, *, queues: list[str] | None, types: list[str]) -> list[Route]:
        return await self._pool.call(attempts.resolve_routes, session_id=session.session_id, queues=queues, types=types)

    async def check_resource_group(self, session: Session) -> None:
        await self._pool.call(
            attempts.claim_tasks,
            session_id=session.session_id,
            token=session.token,
            claim_no=0,
            routes=[],
            limit=1,
            group=self._settings.resource_group,
        )

    async def put_schedules(self, app: App) -> None:
        async with self._pool.connection() as conn:
            await put_schedules(conn, self._org_id, app)

    async def complete_tasks(
        self, fences: Fences, outputs: list[Any], published: Sequence[list[JsonObject] | None] | None
    ) -> list[ReportResult]:
        entries = None if published is None else json_array(published)
        return await self._report("complete_tasks", fences, outputs=json_array(outputs), published=entries)

    async def fail_tasks(
        self, fences: Fences, errors: list[JsonObject], retries: list[float | None]
    ) -> list[ReportResult]:
        return await self._report("fail_tasks", fences, errors=json_array(errors), retries=retries)

    async def lose_tasks(self, fences: Fences, errors: list[JsonObject]) -> list[ReportResult]:
        return await self._report("lose_tasks", fences, errors=json_array(errors))

    async def snooze_tasks(self, fences: Fences, seconds: list[float]) -> list[ReportResult]:
        return await self._report("snooze_tasks", fences, seconds=seconds)

    async def wait_tasks(self, fences: Fences, waits: list[JsonObject]) -> list[ReportResult]:
        return await self._report("wait_tasks", fences, waits=json_array(waits))

    async def block_tasks(
        self, fences: Fences, mismatches: list[JsonObject], versions: list[str | None]
    ) -> list[ReportResult]:
        return await self._report("block_tasks", fences, mismatches=json_array(mismatches), versions=versions)

    async def interrupt_tasks(self, fences: Fences) -> list[ReportResult]:
        return await self._report("interrupt_tasks", fences)

    async def _report(self, function: str, fences: Fences, **values: Any) -> list[ReportResult]:
        """Call the SQL function that ends these attempts. The server calls it through its wrapper in `db/attempts.py`,
        which here would be one more module on the path of every report."""
        session = fences.session
        async with self._pool.connection() as conn:
            return await call(
                conn,
                function,
                ReportResult,
                session_id=session.session_id,
                token=session.token,
                task_ids=fences.task_ids,
                attempts=fences.attempts,
                **values,
            )

    async def begin_tasks(self, fences: Fences) -> None:
        await self._pool.call(
            attempts.begin_tasks,
            session_id=fences.session.session_id,
            token=fences.session.token,
            task_ids=fences.task_ids,
            attempts=fences.attempts,
        )

    async def report_progress(
        self, fences: Fences, progress: list[float | None], messages: list[str | None]
    ) -> list[ProgressResult]:
        return await self._pool.call(
            attempts.report_progress,
            session_id=fences.session.session_id,
            token=fences.session.token,
            task_ids=fences.task_ids,
            attempts=fences.attempts,
            progress=progress,
            messages=messages,
        )

    async def write_logs(self, session: Session, lines: list[dict[str, Any]]) -> None:
        await self._pool.call(run_data.write_logs, session_id=session.session_id, token=session.token, lines=lines)

    async def fold_and_wake_runs(self, run_ids: list[UUID]) -> None:
        await self._pool.call(runs.fold_and_wake_runs, run_ids=run_ids)

    async def list_bundle_types(self) -> list[str]:
        return await self._pool.call(bundles.list_bundle_types, org_id=self._org_id)

    async def find_bundle(self, type: str, sha256: str | None) -> BundleFile:
        return await self._pool.call(bundles.find_bundle, org_id=self._org_id, type=type, sha256=sha256)

    async def get_bundle_part(self, sha256: str, no: int) -> bytes | None:
        return await self._pool.call(bundles.get_bundle_part, org_id=self._org_id, sha256=sha256, no=no)

    async def wait_for_other_functions(self) -> DatabaseProblem:
        return await wait_for_other_functions(self._pool)


async def put_schedules(conn: Conn, org_id: UUID, app: App) -> None:
    """Create or update a schedule for each task with `cron=`; delete the schedule of a task that no longer has one."""
    types = list(app.tasks)
    for change in await schedules.declare(conn, org_id=org_id, types=types, schedules=schedules_of(app, types)):
        if change.action == "delete":
            log.info("schedule %s is deleted, because its task has no cron any more", change.name)


@asynccontextmanager
async def open_direct(settings: WorkerSettings) -> AsyncGenerator[SqlBackend]:
    async with open_pool(settings.url, role=settings.role) as pool:
        yield SqlBackend(pool, settings)
