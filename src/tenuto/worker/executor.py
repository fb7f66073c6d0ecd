"""Runs what was claimed: starts attempts while slots are free, and says how each one ended."""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from tenuto.db.hot import Row
from tenuto.runtimes import processes, threads
from tenuto.runtimes.judge import NEVER, judge
from tenuto.runtimes.outcomes import Completed, Dropped, Failed, Interrupted, Outcome
from tenuto.sdk.context import Context
from tenuto.sdk.current import running
from tenuto.sdk.sync_context import SyncContext
from tenuto.sdk.task import Task
from tenuto.sdk.tracing import span
from tenuto.worker.attempt import Attempt
from tenuto.worker.counts import Counts
from tenuto.worker.crew import Crew, Report
from tenuto.worker.deadlines import FORBEARANCE, Deadlines
from tenuto.worker.ledger import Ledger
from tenuto.worker.ports import Ports

log = logging.getLogger("tenuto.worker")

STALE_AHEAD = 1.0  # what was claimed ahead and has not started by then is given back: others may be idle


class Executor:
    """The attempts of one crew. Everything here happens in the loop's thread."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        crew: Crew,
        ports: Ports,
        ledger: Ledger,
        *,
        tell: Callable[[Attempt, Outcome], None],
    ) -> None:
        self._loop, self._crew, self._ports, self._ledger, self._tell = loop, crew, ports, ledger, tell
        self.tasks: dict[int, Task[..., Any]] = {}  # by route
        self.processes: processes.Processes | None = None
        self._threads = threads.Threads(loop, self.end)
        self.deadlines = Deadlines(loop, soft=self._time_is_up, hard=self.abandon)
        self.waiting: deque[Attempt] = deque()
        self.running: set[Attempt] = set()  # not by task: one that was lost may come again while the old one lingers
        self.counts = Counts()
        self._reports: list[Report] = []
        self._over = 0
        self._longest = 0.0
        self._tallying = False

    def arrive(self, rows: list[Row]) -> None:
        """Claimed rows come in."""
        now, tasks = time.monotonic(), self.tasks
        self.waiting.extend([Attempt(row, tasks[row[4]], now) for row in rows])  # type: ignore[index]
        self._fill()

    def _fill(self) -> None:
        if not self._crew.claims:  # a claim that was on its way when the worker was asked to stop
            self.give_back_waiting()
        waiting, running, free = self.waiting, self.running, self._crew.capacity - len(self.running)
        now = time.monotonic()
        while waiting and free > 0:
            attempt = waiting.popleft()
            if attempt.stop is not None:  # cancelled, or its lease went, before it began
                self.end(attempt, attempt.stop)
                continue
            running.add(attempt)
            attempt.started = now
            attempt.place = self._ledger.enter(attempt.task_id, attempt.no)
            self._begin(attempt)
            free -= 1

    def look_ahead(self) -> None:
        """Now and then: what waits here for too long is given back, and no more is claimed ahead for a while."""
        if self.waiting and time.monotonic() - self.waiting[0].arrived > STALE_AHEAD:
            self._longest = max(self._longest, STALE_AHEAD)
            self.give_back_waiting()

    def _begin(self, attempt: Attempt) -> None:
        if attempt.slots and '"$object"' in attempt.slots:
            attempt.job = self._loop.create_task(self._fetch(attempt))
        else:
            self._start(attempt)

    async def _fetch(self, attempt: Attempt) -> None:
        """Inputs that were too large for a row come from their data objects."""
        try:
            attempt.slots = await self._ports.objects.follow_slots(attempt.slots or "")
        except Exception as error:
            self.end(attempt, judge(attempt, error))
        else:
            self._start(attempt)

    def _start(self, attempt: Attempt) -> None:
        if attempt.task.executor != "process":
            self.deadlines.begin(attempt)
        match attempt.task.executor:
            case "async":
                attempt.job = self._loop.create_task(self._run_async(attempt))
            case "thread":
                attempt.job = self._threads.submit(attempt, lambda: self._call(attempt))
            case _ if self.processes:
                attempt.job = self.processes.run(attempt)
            case other:
                raise AssertionError(f"no runtime for executor {other!r}")

    async def _run_async(self, attempt: Attempt) -> None:
        task = attempt.task
        context = None
        try:
            running.set(attempt)
            arguments, named = task.decode_args(attempt.input, attempt.slots)
            if task.context:
                context = Context(attempt, self._ports.open(attempt))
                arguments.insert(0, context)
            if attempt.metadata is None:
                result = await task.function(*arguments, **named)
            else:
                with _span(attempt):
                    result = await task.function(*arguments, **named)
            if context is not None:
                await context.flush()
            outcome: Outcome = Completed(task.encode_result(result))
        except BaseException as error:
            outcome = judge(attempt, error)
            if context is not None and not isinstance(outcome, Dropped):
                await context.settle()  # a step beside a wait must be recorded, or its effect happens again
        self.end(attempt, outcome)

    def _call(self, attempt: Attempt) -> Outcome:
        """A plain function, in its thread."""
        task = attempt.task
        context = None
        try:
            running.set(attempt)
            arguments, named = task.decode_args(attempt.input, attempt.slots)
            if task.context:
                context = SyncContext(attempt, self._ports.open(attempt), loop=self._loop)
                arguments.insert(0, context)
            with _span(attempt):
                result = task.function(*arguments, **named)
            if context is not None:
                context.flush()
            return Completed(task.encode_result(result))
        except BaseException as error:
            return judge(attempt, error)

    def end(self, attempt: Attempt, outcome: Outcome) -> None:
        """The attempt is over: its slot is free, its outcome on the way. Only the first end counts."""
        if attempt.over:
            return
        attempt.over = True
        self._over += 1
        if attempt.started:
            self.running.discard(attempt)
            self._ledger.leave(attempt.place)
            took = time.monotonic() - attempt.started
            if took > self._longest:
                self._longest = took
            self.counts.note(attempt.task.name, type(outcome).__name__, took)
        if type(outcome) is Completed and not self._ports.too_large(outcome.output):
            self._reports.append((attempt.task_id, attempt.no, outcome.output, attempt.run_id))
        else:
            if isinstance(outcome, Failed):
                log.warning("task %s (%s) failed: %s", attempt.task_id, attempt.task.name, outcome.error["message"])
            self._tell(attempt, outcome)
        if not self._tallying:
            self._tallying = True
            self._loop.call_soon(self.tally)

    def tally(self) -> None:
        """Once per turn of the loop: hand on what ended, start what waits."""
        self._tallying = False
        self._crew.finish(self._reports, self._over, self._longest)
        self._reports, self._over, self._longest = [], 0, 0.0
        self._fill()

    def stop(self, attempt: Attempt, outcome: Outcome) -> None:
        """Ask an attempt to stop; when it does, this is its outcome."""
        if attempt.over or attempt.stop is not None:
            return
        attempt.stop = outcome
        attempt.cancelled = True
        if isinstance(attempt.job, asyncio.Task):
            attempt.job.cancel()
            attempt.job.add_done_callback(lambda _: self.end(attempt, outcome))  # it may not have begun
        elif isinstance(attempt.job, processes.Job):
            attempt.job.ask_to_stop()

    def _time_is_up(self, attempt: Attempt) -> None:
        message = f"it ran longer than its timeout of {attempt.timeout:g} s"
        self.stop(attempt, Failed({"type": "Timeout", "message": message}))

    def abandon(self, attempt: Attempt) -> None:
        """It was asked to stop and did not: its attempt ends without it."""
        outcome = attempt.stop or Interrupted()
        if isinstance(attempt.job, processes.Job):
            attempt.job.kill()
        elif attempt.job is not None:
            if isinstance(attempt.job, threads.Job):
                self._threads.leave(attempt.job)
            log.error(
                "task %s (%s) did not stop within %g s of being asked to; its %s is left behind and its result ignored",
                attempt.task_id, attempt.task.name, FORBEARANCE, attempt.task.executor,
            )  # fmt: skip
        self.end(attempt, outcome)

    def give_back_waiting(self) -> None:
        """Hand back what has not begun."""
        given, self.waiting = self.waiting, deque()
        for attempt in given:
            self.end(attempt, attempt.stop or Interrupted())

    def cancel(self, fences: list[list[Any]]) -> None:
        """People want these to stop. Their code is told; what completes nevertheless is completed."""
        for attempt in self._find(fences):
            self.stop(attempt, Failed({"type": "Cancelled", "message": "it was cancelled"}, NEVER))

    def drop(self, fences: list[list[Any]]) -> None:
        """These are lost: stop them, nobody wants to hear of them."""
        for attempt in self._find(fences):
            self._drop(attempt)

    def drop_all(self) -> None:
        """The lease is gone: stop everything, report nothing."""
        for attempt in [*self.waiting, *self.running]:
            self._drop(attempt)
        self.give_back_waiting()

    def _drop(self, attempt: Attempt) -> None:
        attempt.stop = None  # whatever it was asked before, it is nobody's now
        self.stop(attempt, Dropped())
        self.deadlines.watch(attempt, FORBEARANCE, hard=True)

    def _find(self, fences: list[list[Any]]) -> list[Attempt]:
        wanted: dict[str, int] = dict(fences)  # type: ignore[arg-type]
        held = [*self.waiting, *self.running] if wanted else []
        return [attempt for attempt in held if wanted.get(attempt.task_id) == attempt.no]


def _span(attempt: Attempt) -> AbstractContextManager[Any]:
    return span(attempt.task.name, attempt.metadata, task_id=attempt.task_id, attempt=attempt.no)
