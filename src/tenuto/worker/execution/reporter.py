"""Reports failures, waits, snoozes, losses and given-back attempts. Plain completions are reported by the claimers."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any
from uuid import UUID

from tenuto.db import attempts, runs
from tenuto.db.connection.availability import Backoff
from tenuto.db.connection.errors import Unreachable
from tenuto.model.errors import SessionEnded, TenutoError
from tenuto.runtimes.base import Attempt
from tenuto.runtimes.outcomes import Completed, Dropped, Failed, Interrupted, Lost, Outcome, Snoozed, Waiting, describe
from tenuto.worker.backends.base import Caller
from tenuto.worker.execution.failure_log import log_failure
from tenuto.worker.process.held_attempts import HeldAttempts
from tenuto.worker.process.session import WorkerSession

log = logging.getLogger("tenuto.worker")

BATCH = 500
MAX_PAUSE_SECONDS = 5.0

Ending = tuple[Attempt, Outcome]
Store = Callable[[Attempt, str], Awaitable[Any]]


class Reporter:
    """Delivers outcomes to the database, in batches per kind, and waits out any outage."""

    def __init__(
        self, backend: Caller, session: WorkerSession, held: HeldAttempts, *, store: Store, reported: Callable[[], None]
    ) -> None:
        self._backend, self._session, self._held, self._store, self._reported = backend, session, held, store, reported
        self._pending: list[Ending] = []
        self._news = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()

    def tell(self, attempt: Attempt, outcome: Outcome) -> None:
        if isinstance(outcome, Dropped):
            self._held.release([(attempt.task_id, attempt.no)])
            return
        self._pending.append((attempt, outcome))
        self._idle.clear()
        self._news.set()

    async def flush(self) -> None:
        """Wait until all outcomes passed so far have been delivered."""
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

    async def say_unbegun(self, attempt: Attempt) -> None:
        """Report that the attempt's code has not started yet, so that its timeout counts from now."""
        with suppress(Unreachable, TenutoError):  # reported again later; at worst the attempt times out
            await self._backend.call(attempts.begin_tasks, **self._fences([(attempt, Interrupted())]))

    async def _stored(self, attempt: Attempt, outcome: Outcome) -> Ending:
        """Store an output that is too large for a row as a data object; if that is impossible, the attempt fails."""
        if not isinstance(outcome, Completed) or outcome.output is None:
            return attempt, outcome
        backoff = Backoff(MAX_PAUSE_SECONDS)
        while True:
            try:
                stored = await self._store(attempt, outcome.output)
                self._session.outage_log.found(self)
                return attempt, Completed(json.dumps(stored))
            except Unreachable as problem:
                self._session.outage_log.lost(self, problem)
                await asyncio.sleep(backoff.after(problem))
            except Exception as problem:
                return attempt, Failed(describe(problem))

    async def _deliver(self, endings: list[Ending]) -> None:
        backoff = Backoff(MAX_PAUSE_SECONDS)
        while True:
            try:
                await self._report(endings)
            except SessionEnded:
                pass  # the session's reports are obsolete
            except TenutoError as problem:
                if len(endings) > 1:
                    for ending in endings:
                        await self._deliver([ending])
                    return
                (attempt, outcome) = endings[0]
                if not isinstance(outcome, Failed):
                    await self._deliver([(attempt, Failed(describe(problem), -1.0))])
                    return
                log.error("the end of task %s cannot be reported: %s", attempt.task_id, problem)
            except Exception as problem:  # outage or any other error: an outcome must not get lost
                self._session.outage_log.lost(self, problem)
                await asyncio.sleep(backoff.after(problem))
                continue
            self._session.outage_log.found(self)
            self._held.release([(attempt.task_id, attempt.no) for attempt, _ in endings])
            return

    async def _report(self, endings: list[Ending]) -> None:
        outcomes: list[Any] = [outcome for _, outcome in endings]
        if isinstance(outcomes[0], Completed):
            outcomes = [None if end.output is None else json.loads(end.output) for end in outcomes]
        answers = await self._call(endings[0][1], self._fences(endings), outcomes)
        for (attempt, outcome), answer in zip(endings, answers, strict=True):
            if isinstance(outcome, Failed):
                log_failure(attempt, outcome, answer)
        if late := [answer.task_id for answer in answers if answer.answer == "stale_lease"]:
            log.warning("%d ends came too late: their tasks were taken back (%s …)", len(late), late[0])
        if touched := {UUID(attempt.run_id) for attempt, _ in endings if attempt.run_id != attempt.task_id}:
            await self._backend.call(runs.fold_and_wake_runs, run_ids=list(touched))

    async def _call(self, kind: Outcome, fences: dict[str, Any], ends: list[Any]) -> list[Any]:
        call = self._backend.call
        match kind:
            case Completed():
                return await call(attempts.complete_tasks, **fences, outputs=ends)
            case Failed():
                retries = [end.retry for end in ends]
                return await call(attempts.fail_tasks, **fences, errors=[end.error for end in ends], retries=retries)
            case Lost():
                return await call(attempts.lose_tasks, **fences, errors=[end.error for end in ends])
            case Snoozed():
                return await call(attempts.snooze_tasks, **fences, seconds=[end.seconds for end in ends])
            case Waiting():
                return await call(attempts.wait_tasks, **fences, waits=[end.wait for end in ends])
            case Interrupted():
                return await call(attempts.interrupt_tasks, **fences)
            case Dropped():
                raise AssertionError("what is dropped is not reported")

    def _fences(self, endings: list[Ending]) -> dict[str, Any]:
        return {
            "session_id": self._session.id,
            "token": UUID(self._session.token),
            "task_ids": [UUID(attempt.task_id) for attempt, _ in endings],
            "attempts": [attempt.no for attempt, _ in endings],
        }
