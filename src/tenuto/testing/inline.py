"""A worker inside the test: claims and reports like a real one, but runs tasks one after the other in the test
process."""

import asyncio
import inspect
import json
import threading
import time
from contextlib import suppress
from contextvars import copy_context
from typing import Any
from uuid import UUID

from tenuto.db import attempts, monitoring
from tenuto.dispatcher.dispatcher import Dispatcher
from tenuto.dispatcher.loops import LOOPS
from tenuto.model.ids import uuid7
from tenuto.model.tasks import Claimed
from tenuto.runtimes.base import Attempt
from tenuto.runtimes.invoke import classify, invoke_async, invoke_sync
from tenuto.runtimes.outcomes import Interrupted, Outcome
from tenuto.sdk.app import App
from tenuto.sdk.client.sql_transport import SqlTransport
from tenuto.sdk.context.current_attempt import running
from tenuto.testing.waiting import INLINE_WORKER
from tenuto.worker.backends.attempt_api import MAX_INLINE_OUTPUT_CHARS
from tenuto.worker.backends.sql import SqlBackend
from tenuto.worker.backends.sql_attempt_api import SqlAttemptApis
from tenuto.worker.execution.deadlines import STOP_GRACE_SECONDS
from tenuto.worker.execution.executor import timed_out
from tenuto.worker.execution.failure_hooks import FailureHooks
from tenuto.worker.execution.progress import ProgressSender
from tenuto.worker.execution.reporter import Reporter
from tenuto.worker.process.held_attempts import HeldAttempts
from tenuto.worker.process.session import WorkerSession
from tenuto.worker.settings import WorkerSettings

BATCH_SIZE = 100
ON_TIME = ("admit_rates", "fire_schedules")
UPKEEP = {
    "promote_due", "wake_waiting", "unblock_tasks", "expire_deadlines", "expire_runs", "fold_runs", "settle_runs",
    "sweep_cancelled", "follow_arrivals", "admit_rates", "advance_requests", "advance_builds", "advance_backfills",
    "advance_invalidations", "fire_schedules",
}  # fmt: skip


class InlineWorker:
    """Runs all tasks that are ready."""

    def __init__(self, client: SqlTransport, app: App) -> None:
        self._client, self._app = client, app
        self._session = WorkerSession()
        settings = WorkerSettings([], url="", org_id=str(client.org_id), name=INLINE_WORKER, home="")
        self._backend = SqlBackend(client.pool, settings)
        self._apis = SqlAttemptApis(client.pool, self._session, client.org_id, client.store)
        # Each App object has its own code version, so that a test can continue tasks with a second App.
        self._metadata = {"types": list(app.tasks), "code_version": f"{id(app):x}"}
        self._claims = 0
        self.works = False  # work() is in progress
        self._dispatcher = Dispatcher(UUID(uuid7()), client.pool, client.pool, "test", 0)

    async def work(self, *, most: int) -> int:
        """Claim and run tasks until none is ready or due; return how many attempts ran. Raises AssertionError when more
        than `most` have run."""
        self.works = True
        try:
            return await self._work(most)
        finally:
            self.works = False

    async def _work(self, most: int) -> int:
        self._session.opened(await self._backend.register_worker(address="test", metadata=self._metadata))
        hooks = FailureHooks()
        reporter = Reporter(
            self._backend,
            self._session,
            HeldAttempts(),
            progress=ProgressSender(self._backend, self._session, self._apis, cancelled=lambda _: None),
            store=self._store,
            reported=lambda: None,
            failed=hooks.failed,
        )
        reporting, hooking = asyncio.create_task(reporter.run()), asyncio.create_task(hooks.run())
        ran = 0
        try:
            while True:
                moved, claims = await self._keep_up(), await self._claim()
                if not moved and not claims:
                    break
                for claim in claims:
                    await self._run(claim, reporter, reporting)
                ran += len(claims)
                if ran > most:
                    raise AssertionError(
                        f"{ran} attempts ran and more are ready; check whether tasks start tasks or snooze forever"
                    )
            await hooks.flush()
        finally:
            reporting.cancel()
            hooking.cancel()
            await asyncio.gather(reporting, hooking, return_exceptions=True)
        await self._backend.close_session(self._session.current)
        return ran

    async def pass_time(self) -> None:
        """Run the loops of rates and schedules at the current time of the clock, as a dispatcher would. The clock calls
        this at every time at which one of them is due."""
        for loop in LOOPS:
            if loop.name in ON_TIME:
                await loop.step(self._dispatcher, 1000)

    async def _keep_up(self) -> int:
        """Do the work that a dispatcher would do now. As in a dispatcher, one query finds the loops that are due."""
        upkeep = await self._client.pool.call(monitoring.list_due_maintenance)
        due = {entry.what for entry in upkeep if entry.due_in_seconds == 0} & UPKEEP
        return sum([await loop.step(self._dispatcher, 1000) for loop in LOOPS if loop.name in due])

    async def _claim(self) -> list[Claimed]:
        session = self._session.current
        async with self._client.pool.connection() as conn:
            routes = await attempts.resolve_routes(conn, session_id=self._session.id, types=list(self._app.tasks))
            self._tasks = {route.route_id: self._app.tasks[route.type] for route in routes}
            self._claims += 1
            return await attempts.claim_tasks(
                conn,
                session_id=session.session_id,
                token=session.token,
                claim_no=self._claims,
                routes=list(self._tasks),
                limit=BATCH_SIZE,
            )

    async def _run(self, claim: Claimed, reporter: Reporter, reporting: "asyncio.Task[None]") -> None:
        task = self._tasks[claim.route_id]
        row = (
            None,
            str(claim.task_id),
            claim.attempt,
            str(claim.run_id),
            claim.route_id,
            _text(claim.input),
            _text(claim.slots),
            claim.timeout_seconds,
            _text(claim.metadata),
            None if claim.root_id is None else str(claim.root_id),
        )
        attempt = Attempt(row, task, time.monotonic())
        try:
            await self._apis.fetch_missing(attempt)
        except Exception as error:
            outcome = classify(attempt, error)
        else:
            mark = running.set(attempt)
            outcome = await self._invoke(attempt)
            running.reset(mark)
        reporter.report(attempt, outcome)
        flushed = asyncio.create_task(reporter.flush())
        await asyncio.wait({flushed, reporting}, return_when=asyncio.FIRST_COMPLETED)
        if reporting.done():
            reporting.result()  # raises the error that ended it

    async def _invoke(self, attempt: Attempt) -> Outcome:
        """Run the function. As in a worker, it is asked to stop when its timeout has passed, by the real clock, and is
        abandoned if it does not stop."""
        is_async = inspect.iscoroutinefunction(attempt.task.function)
        call = asyncio.create_task(invoke_async(attempt, self._apis.open)) if is_async else self._in_thread(attempt)
        try:
            await asyncio.wait({call}, timeout=attempt.timeout or None)
            if not call.done():
                attempt.stop, attempt.cancelled = timed_out(attempt), True
                if is_async:
                    call.cancel()
                await asyncio.wait({call}, timeout=STOP_GRACE_SECONDS)
            ended = call.done() and not call.cancelled()
            return call.result() if ended else attempt.stop or Interrupted()
        finally:
            attempt.over = True
            call.cancel()

    def _in_thread(self, attempt: Attempt) -> "asyncio.Future[Outcome]":
        """Run a plain function in a daemon thread, which does not keep the test from ending if it is abandoned."""
        loop, variables = asyncio.get_running_loop(), copy_context()
        ended: asyncio.Future[Outcome] = loop.create_future()

        def run() -> None:
            outcome = variables.run(invoke_sync, attempt, self._apis.open, loop)
            with suppress(RuntimeError):  # the loop of an abandoned call may be closed
                loop.call_soon_threadsafe(lambda: ended.done() or ended.set_result(outcome))

        threading.Thread(target=run, name="tenuto task", daemon=True).start()
        return ended

    async def _store(self, attempt: Attempt, output: str | None) -> Any:
        if output is not None and len(output) > MAX_INLINE_OUTPUT_CHARS:
            return await self._apis.store(attempt, output)
        return None if output is None else json.loads(output)


def _text(value: Any) -> str | None:
    return None if value is None else json.dumps(value)
