"""Runs what was claimed: starts attempts while slots are free, and says how each one ended."""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable
from contextvars import copy_context
from typing import Any

from tenuto.db.connection.claim_connection import Row
from tenuto.runtimes import process, thread
from tenuto.runtimes.judge import judge
from tenuto.runtimes.outcomes import Completed, Dropped, Failed, Interrupted, Outcome
from tenuto.sdk.task import Task
from tenuto.worker.backends.ports import AttemptApis
from tenuto.worker.execution.attempt import Attempt
from tenuto.worker.execution.attempt_metrics import AttemptMetrics
from tenuto.worker.execution.coroutine import CoroutineRuntime
from tenuto.worker.execution.deadlines import STOP_GRACE_SECONDS, Deadlines
from tenuto.worker.execution.failure_log import CANCELLED
from tenuto.worker.execution.plain_functions import PlainFunctions
from tenuto.worker.process.slots import Report, Slots
from tenuto.worker.supervisor.crash_ledger import CrashLedger

log = logging.getLogger("tenuto.worker")

MAX_TURN_SECONDS = 0.005  # of running one attempt after the other without a look at anything else
STALE_CLAIM_SECONDS = 1.0  # what was claimed ahead and has not started by then is given back: others may be idle


class Executor:
    """The attempts of one crew. Everything here happens in the loop's thread."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        crew: Slots,
        ports: AttemptApis,
        ledger: CrashLedger,
        *,
        tell: Callable[[Attempt, Outcome], None],
    ) -> None:
        self._loop, self._crew, self._ports, self._ledger, self._tell = loop, crew, ports, ledger, tell
        self.tasks: dict[int, Task[..., Any]] = {}  # by route
        self.processes: process.ProcessRuntime | None = None
        self._threads = PlainFunctions(loop, ports, done=self.end)
        self._coroutines = CoroutineRuntime(loop, ports, take=self._take, done=self.end)
        self.deadlines = Deadlines(loop, soft=self._time_is_up, hard=self.abandon)
        self.waiting: deque[Attempt] = deque()
        self.running: set[Attempt] = set()  # not by task: one that was lost may come again while the old one lingers
        self.counts = AttemptMetrics()
        self._reports: list[Report] = []
        self._over = 0
        self._longest = 0.0
        self._tallying = False
        self._variables = copy_context()  # what is begun from inside an attempt must not inherit that one's

    def arrive(self, rows: list[Row]) -> None:
        """Claimed rows come in."""
        now, tasks = time.monotonic(), self.tasks
        self.waiting.extend([Attempt(row, tasks[row[4]], now) for row in rows])  # type: ignore[index]
        self._fill()

    def _fill(self, most: int = 1) -> None:
        """Start what waits. On the loop one, then two, then four …: what ends at once takes the next by itself."""
        if not self._crew.claims:  # a claim that was on its way when the worker was asked to stop
            self.give_back_waiting()
        waiting, free, left = self.waiting, self._crew.capacity - len(self.running), most
        now = time.monotonic()
        while waiting and free > 0 and left > 0:
            attempt = waiting.popleft()
            if attempt.stop is not None:  # cancelled, or its lease went, before it began
                self.end(attempt, attempt.stop)
                continue
            self._enter(attempt, now)
            self._begin(attempt)
            free -= 1
            left -= attempt.task.executor == "async"
        if waiting and free > 0:
            self._loop.call_soon(self._fill, 2 * most, context=self._variables)

    def _take(self, began: float) -> Attempt | None:
        """For what has just ended one on the loop: the next, unless its turn is over."""
        if not self.waiting or not self._crew.claims or len(self.running) >= self._crew.capacity:
            return None
        attempt, now = self.waiting[0], time.monotonic()
        if (
            now - began > MAX_TURN_SECONDS
            or attempt.stop is not None
            or attempt.task.executor != "async"
            or attempt.apart
        ):
            return None
        self.waiting.popleft()
        self._enter(attempt, now)
        self.deadlines.begin(attempt)
        return attempt

    def _enter(self, attempt: Attempt, now: float) -> None:
        self.running.add(attempt)
        attempt.started = now
        attempt.place = self._ledger.enter(attempt.task_id, attempt.no)

    def look_ahead(self) -> None:
        """Now and then: what waits here for too long is given back, and no more is claimed ahead for a while."""
        if self.waiting and time.monotonic() - self.waiting[0].arrived > STALE_CLAIM_SECONDS:
            self._longest = max(self._longest, STALE_CLAIM_SECONDS)
            self.give_back_waiting()

    def _begin(self, attempt: Attempt) -> None:
        if attempt.apart:
            attempt.job = self._loop.create_task(self._fetch(attempt))
        else:
            self._start(attempt)

    async def _fetch(self, attempt: Attempt) -> None:
        """Inputs that were too large for a row come from their data objects, failures so far from the record."""
        try:
            await self._ports.complete(attempt)
            self._start(attempt)
        except BaseException as error:  # also when user code cancels every task of the loop
            self.end(attempt, judge(attempt, error))

    def _start(self, attempt: Attempt) -> None:
        if self.processes is None:
            self.deadlines.begin(attempt)
        match attempt.task.executor:
            case "async":
                attempt.job = self._coroutines.submit(attempt)
            case "thread":
                attempt.job = self._threads.submit(attempt)
            case _ if self.processes:
                attempt.job = self.processes.run(attempt)
            case other:
                raise AssertionError(f"no runtime for executor {other!r}")

    def end(self, attempt: Attempt, outcome: Outcome) -> None:
        """The attempt is over: its slot is free, its outcome on the way. Only the first end counts."""
        if attempt.over:
            return
        attempt.over = True
        attempt.slots = None  # may be large, and attempts stay in a reference cycle until it is collected
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
            self._tell(attempt, outcome)
        if not self._tallying:
            self._tallying = True
            self._loop.call_soon(self.tally, context=self._variables)

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
        elif isinstance(attempt.job, process.ProcessHandle):
            attempt.job.ask_to_stop()

    def _time_is_up(self, attempt: Attempt) -> None:
        message = f"it ran longer than its timeout of {attempt.timeout:g} s"
        self.stop(attempt, Failed({"type": "Timeout", "message": message}))

    def abandon(self, attempt: Attempt) -> None:
        """It was asked to stop and did not: its attempt ends without it."""
        outcome = attempt.stop or Interrupted()
        if isinstance(attempt.job, process.ProcessHandle):
            attempt.job.kill()
        elif attempt.job is not None:
            if isinstance(attempt.job, thread.ThreadHandle):
                self._threads.leave(attempt.job)
            log.error(
                "task %s (%s) did not stop within %g s of being asked to; its %s is left behind and its result ignored",
                attempt.task_id, attempt.task.name, STOP_GRACE_SECONDS, attempt.task.executor,
            )  # fmt: skip
        self.end(attempt, outcome)

    def give_back_waiting(self) -> None:
        """Hand back what has not begun."""
        given, self.waiting = self.waiting, deque()
        for attempt in given:
            self.end(attempt, attempt.stop or Interrupted())

    def cancel(self, fences: list[list[Any]]) -> None:
        """People want these to stop. Their code is told, and given up like code over its time; what completes first is
        completed."""
        for attempt in self._find(fences):
            if attempt.stop is None:  # every beat names them anew
                self.stop(attempt, CANCELLED)
                self.deadlines.watch(attempt, STOP_GRACE_SECONDS, hard=True)

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
        self.deadlines.watch(attempt, STOP_GRACE_SECONDS, hard=True)

    def _find(self, fences: list[list[Any]]) -> list[Attempt]:
        wanted: dict[str, int] = dict(fences)  # type: ignore[arg-type]
        held = [*self.waiting, *self.running] if wanted else []
        return [attempt for attempt in held if wanted.get(attempt.task_id) == attempt.no]
