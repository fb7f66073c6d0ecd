"""Reports failures, losses, waits, snoozes, blocked and given-back attempts, and completions with a large output or
with publications. The claimers report all other completions."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any
from uuid import UUID

from tenuto.db.connection.errors import Unreachable
from tenuto.model.backoff import Backoff
from tenuto.model.errors import SessionEnded, TooLarge
from tenuto.model.tasks import Fences, ReportResult
from tenuto.model.text import one_line
from tenuto.runtimes.base import Attempt
from tenuto.runtimes.outcomes import (
    CANCELLED,
    Blocked,
    Completed,
    Dropped,
    Failed,
    Interrupted,
    Lost,
    Outcome,
    Snoozed,
    Waiting,
    describe,
)
from tenuto.sdk.options import TaskOptions
from tenuto.sdk.retries import NEVER
from tenuto.sdk.task import Task
from tenuto.worker.backends.base import REJECTED, Backend
from tenuto.worker.execution.progress import ProgressSender
from tenuto.worker.process.held_attempts import HeldAttempts
from tenuto.worker.process.session import WorkerSession
from tenuto.worker.process.slots import Report

log = logging.getLogger("tenuto.worker")

BATCH = 500
MAX_PAUSE_SECONDS = 5.0
REJECTED_PAUSE_SECONDS = 60.0
# Used as the task of a completion that the database rejected, because a report does not contain its task.
REPORTED_TASK: Task[..., Any] = Task("completed", lambda: None, TaskOptions())

Ending = tuple[Attempt, Outcome]
Store = Callable[[Attempt, str], Awaitable[Any]]


class Reporter:
    """Delivers outcomes to the database, in batches per kind. During an outage, it retries until it succeeds."""

    def __init__(
        self,
        backend: Backend,
        session: WorkerSession,
        held: HeldAttempts,
        *,
        progress: ProgressSender,
        store: Store,
        reported: Callable[[], None],
        failed: Callable[[Attempt, Failed | Lost, ReportResult], None],
    ) -> None:
        self._backend, self._session, self._held, self._store, self._reported = backend, session, held, store, reported
        self._failed = failed  # called for attempts whose app has failure hooks
        self._progress = progress
        self._pending: list[Ending] = []
        self._news = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()

    def report(self, attempt: Attempt, outcome: Outcome) -> None:
        """Queue an outcome, which `run` delivers."""
        if isinstance(outcome, Dropped):
            self._held.drop((attempt.task_id, attempt.no))
            return
        self._pending.append((attempt, outcome))
        self._idle.clear()
        self._news.set()

    def replace_completion(self, report: Report, problem: Exception) -> None:
        """Handle a completion that the database rejected. If the output is too large, store it as a data object;
        otherwise fail the attempt."""
        task_id, no, output, run_id = report
        attempt = Attempt((None, task_id, no, run_id, *[None] * 6), REPORTED_TASK, 0.0)
        is_too_large = isinstance(problem, TooLarge)
        self.report(attempt, Completed(output) if is_too_large else Failed(describe(problem), NEVER))

    async def flush(self) -> None:
        """Wait until all outcomes that were queued so far have been delivered."""
        await self._idle.wait()

    async def run(self) -> None:
        while True:
            await self._news.wait()
            self._news.clear()
            pending, self._pending = self._pending, []
            pending = [await self._stored(*ending) for ending in pending]
            for kind in {type(outcome) for _, outcome in pending}:
                of_kind = [ending for ending in pending if type(ending[1]) is kind]
                for start in range(0, len(of_kind), BATCH):
                    await self._deliver(of_kind[start : start + BATCH])
            if not self._pending:
                self._idle.set()
            self._reported()

    async def restart_timeout(self, attempt: Attempt) -> None:
        """Report that the attempt's code starts only now, so that its timeout counts from now."""
        with suppress(Unreachable, *REJECTED):  # at worst the attempt times out too early
            await self._backend.begin_tasks(self._fences([attempt]))

    async def _stored(self, attempt: Attempt, outcome: Outcome) -> Ending:
        """Store the output of a completed attempt as a data object; return the attempt and the outcome to report. If
        the output cannot be stored, the outcome is a failure."""
        if not isinstance(outcome, Completed) or outcome.output is None:
            return attempt, outcome
        backoff = Backoff(MAX_PAUSE_SECONDS)
        while True:
            try:
                stored = await self._store(attempt, outcome.output)
                self._session.outage_log.recovered(self)
                return attempt, Completed(json.dumps(stored), outcome.published)
            except Unreachable as problem:
                self._session.outage_log.failed(self, problem)
                await asyncio.sleep(backoff.after(problem))
            except Exception as problem:
                return attempt, Failed(describe(problem))

    async def _deliver(self, endings: list[Ending]) -> None:
        backoff = None
        while True:
            try:
                await self._send(endings)
            except SessionEnded:
                pass  # the session's reports are obsolete
            except REJECTED as problem:
                self._session.outage_log.recovered(self)
                if len(endings) > 1:
                    for ending in endings:
                        await self._deliver([ending])
                    return
                (attempt, outcome) = endings[0]
                if not isinstance(outcome, Failed):
                    await self._deliver([(attempt, Failed(describe(problem), NEVER))])
                else:
                    self._report_later(attempt, outcome, problem)
                return
            except Exception as problem:  # outage or any other error: an outcome must not get lost
                self._session.outage_log.failed(self, problem)
                backoff = backoff or Backoff(MAX_PAUSE_SECONDS)
                await asyncio.sleep(backoff.after(problem))
                continue
            if backoff:
                self._session.outage_log.recovered(self)
            self._held.release([(attempt.task_id, attempt.no) for attempt, _ in endings])
            return

    def _report_later(self, attempt: Attempt, outcome: Outcome, problem: Exception) -> None:
        """Log that the end of an attempt cannot be stored, for example because a row is damaged, and report it again
        later. The attempt stays in the list of held attempts, because the database could not give it back either."""
        log.error(
            "the database rejects the outcome of task %s (%s); it is reported again in %g s: run=%s",
            attempt.task_id, one_line(str(problem)), REJECTED_PAUSE_SECONDS, attempt.run_id,
        )  # fmt: skip
        asyncio.get_running_loop().call_later(REJECTED_PAUSE_SECONDS, self.report, attempt, outcome)

    async def _send(self, endings: list[Ending]) -> None:
        if self._progress.apis.progress:  # stored before the end of its attempt
            await self._progress.send()
        reports = await self._call(
            [outcome for _, outcome in endings], self._fences([attempt for attempt, _ in endings])
        )
        for (attempt, outcome), report in zip(endings, reports, strict=True):
            if isinstance(outcome, Failed | Lost):
                _log_failure(attempt, outcome, report)
                if attempt.task.hooks.failure:
                    self._failed(attempt, outcome, report)
            elif isinstance(outcome, Blocked):
                _log_blocked(attempt, outcome.mismatch)
            elif report.result == "refused":
                log.error("task %s (%s) failed: what it published was refused", attempt.task_id, attempt.task.name)
        if late := [report.task_id for report in reports if report.result == "stale_lease"]:
            log.warning("%d reports came too late: the worker no longer held their tasks (%s …)", len(late), late[0])
        if touched := {UUID(attempt.run_id) for attempt, _ in endings if attempt.run_id != attempt.task_id}:
            with suppress(Unreachable, *REJECTED):  # only a hint: the dispatcher does this too
                await self._backend.fold_and_wake_runs(list(touched))

    async def _call(self, outcomes: list[Any], fences: Fences) -> list[ReportResult]:
        """Report outcomes, which are all of the same kind."""
        kind: Outcome = outcomes[0]
        match kind:
            case Completed():
                outputs = [None if end.output is None else json.loads(end.output) for end in outcomes]
                published = [end.published for end in outcomes]
                of_jobs = any(entries is not None for entries in published)
                return await self._backend.complete_tasks(fences, outputs, published if of_jobs else None)
            case Failed():
                errors, retries = [end.error for end in outcomes], [end.retry for end in outcomes]
                return await self._backend.fail_tasks(fences, errors, retries)
            case Lost():
                return await self._backend.lose_tasks(fences, [end.error for end in outcomes])
            case Snoozed():
                return await self._backend.snooze_tasks(fences, [end.seconds for end in outcomes])
            case Waiting():
                return await self._backend.wait_tasks(fences, [end.wait for end in outcomes])
            case Blocked():
                mismatches, versions = [end.mismatch for end in outcomes], [end.code_version for end in outcomes]
                return await self._backend.block_tasks(fences, mismatches, versions)
            case Interrupted():
                return await self._backend.interrupt_tasks(fences)
            case Dropped():
                raise AssertionError("a dropped attempt is not reported")

    def _fences(self, attempts: list[Attempt]) -> Fences:
        ids = [UUID(attempt.task_id) for attempt in attempts]
        return Fences(self._session.current, ids, [attempt.no for attempt in attempts])


def _log_failure(attempt: Attempt, failed: Failed | Lost, report: ReportResult) -> None:
    """Log a failure or loss after the database has decided on a retry: an error if this is the end of the task,
    otherwise a warning. A cancellation is logged as information."""
    if failed is CANCELLED:
        log.info("task %s (%s) was cancelled", attempt.task_id, attempt.task.name)
        return
    final = report.result == "accepted" and report.retry_in_seconds is None
    what = one_line(": ".join(str(failed.error[key]) for key in ("type", "message") if failed.error.get(key)))
    trace = "\n" + failed.error["traceback"].rstrip() if failed.error.get("traceback") else ""
    log.log(
        logging.ERROR if final else logging.WARNING,
        "task %s (%s) %s, %s: %s%s", attempt.task_id, attempt.task.name,
        "failed" if isinstance(failed, Failed) else "was lost", _attempt_text(attempt, report), what, trace,
    )  # fmt: skip


def _log_blocked(attempt: Attempt, mismatch: dict[str, Any]) -> None:
    log.warning(
        "task %s (%s) is set aside, because its code changed: step %s was %s on an earlier attempt and is %s now; it "
        "continues on a worker with other code",
        attempt.task_id, attempt.task.name, mismatch["step_no"], mismatch["expected"], mismatch["found"],
    )  # fmt: skip


def _attempt_text(attempt: Attempt, report: ReportResult) -> str:
    most = report.max_attempts
    # For a task without `ctx`, the number also counts attempts that were given back, so it can exceed max_attempts.
    which = f"attempt {attempt.number} of {most}" if most and attempt.number <= most else f"attempt {attempt.number}"
    if report.retry_in_seconds is not None:
        return f"{which}, retried in {max(0.0, report.retry_in_seconds):.1f} s"
    return f"{which}, not retried" if report.result == "accepted" else which
