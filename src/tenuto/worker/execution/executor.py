"""Runs claimed attempts: starts them while slots are free, and reports how each one ended."""

import asyncio
import logging
import time
from bisect import bisect_left
from collections import deque
from collections.abc import Callable
from contextvars import copy_context
from typing import Any

from tenuto.model.metric_labels import BUCKETS
from tenuto.model.tasks import Row
from tenuto.runtimes.base import Attempt, Handle, Runtime
from tenuto.runtimes.invoke import TaskHandle, classify
from tenuto.runtimes.outcomes import CANCELLED, Completed, Dropped, Failed, Interrupted, Outcome
from tenuto.sdk.task import Task
from tenuto.worker.backends.attempt_api import MAX_INLINE_OUTPUT_CHARS, AttemptApis
from tenuto.worker.execution.deadlines import STOP_GRACE_SECONDS, Deadlines
from tenuto.worker.process.held_attempts import CrashLedger
from tenuto.worker.process.slots import Report, Slots

log = logging.getLogger("tenuto.worker")

EndedAttempts = tuple[int, str, str, float, list[float]]

MAX_TURN_SECONDS = 0.005  # maximum time in which one asyncio task runs attempts before the loop does other work
# Attempts that were claimed ahead and have not started after this time are given back: other workers may be idle.
STALE_CLAIM_SECONDS = 1.0


def timed_out(attempt: Attempt) -> Failed:
    """Return the outcome of an attempt that stops because its timeout has passed."""
    return Failed({"type": "Timeout", "message": f"it ran longer than its timeout of {attempt.timeout:.15g} s"})


class Executor:
    """Runs the attempts of one set of slots. Everything except `take_counts` happens in the event loop's thread."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        slots: Slots,
        apis: AttemptApis,
        ledger: CrashLedger,
        *,
        report: Callable[[Attempt, Outcome], None],
    ) -> None:
        self._loop, self._slots, self._apis, self._ledger, self._tell = loop, slots, apis, ledger, report
        self.tasks: dict[int, Task[..., Any]] = {}  # by route
        self.runtimes: dict[str, Runtime] = {}  # by the executor of a task
        self.deadlines = Deadlines(loop, soft=self._time_is_up, hard=self.abandon)
        self.waiting: deque[Attempt] = deque()
        # Not keyed by task: a lost task may be claimed again while its old attempt still runs.
        self.running: set[Attempt] = set()
        # Of ended attempts, by route, type and class of the outcome: the sum of their seconds, then their number per
        # bucket of durations. A dictionary, because metric objects are slower.
        self._counts: dict[tuple[int, str, type[Outcome]], list[float]] = {}
        self._reports: list[Report] = []
        self._over = 0
        self.ended = 0  # attempts of this process that have ended so far
        self.returns_waiting = True  # attempts that wait when claiming stops are given back; False: they run
        self._longest = 0.0
        self._tallying = False
        self._variables = copy_context()  # work started from inside an attempt must not inherit its context variables

    def arrive(self, rows: list[Row]) -> None:
        """Accept claimed rows."""
        now, tasks = time.monotonic(), self.tasks
        self.waiting.extend([Attempt(row, tasks[row[4]], now) for row in rows])  # type: ignore[index]
        self._fill()

    def _fill(self, most: int = 1) -> None:
        """Start waiting attempts. Of async attempts, start at most one now, at most two in the next iteration of the
        event loop, then four …, because the asyncio task of a short attempt also runs the next attempt."""
        if not self._slots.claims and self.returns_waiting:  # they were claimed just before claiming stopped
            self.give_back_waiting()
        waiting, free, left = self.waiting, self._slots.capacity - len(self.running), most
        now = time.monotonic()
        while waiting and free > 0 and left > 0:
            attempt = waiting.popleft()
            if attempt.stop is not None:  # cancelled, or its lease was lost, before it started
                self.end(attempt, attempt.stop)
                continue
            self._enter(attempt, now)
            self._begin(attempt)
            free -= 1
            left -= attempt.task.runs_in == "async"
        if waiting and free > 0:
            self._loop.call_soon(self._fill, 2 * most, context=self._variables)

    def next_attempt(self, began: float, handle: Handle) -> Attempt | None:
        """Return the next attempt for an asyncio task that has just finished one. Return None if no attempt can follow,
        or if the turn of the asyncio task, which began at `began`, is over."""
        if not self.waiting or not self._slots.claims or len(self.running) >= self._slots.capacity:
            return None
        attempt, now = self.waiting[0], time.monotonic()
        if (
            now - began > MAX_TURN_SECONDS
            or attempt.stop is not None
            or attempt.task.runs_in != "async"
            or attempt.needs_fetch
        ):
            return None
        self.waiting.popleft()
        attempt.handle = handle
        self._enter(attempt, now)
        self.began(attempt)
        return attempt

    def _enter(self, attempt: Attempt, now: float) -> None:
        self.running.add(attempt)
        attempt.started = now
        attempt.ledger_index = self._ledger.enter(attempt.task_id, attempt.no)

    def began(self, attempt: Attempt) -> None:
        """Start the attempt's timeout. Called by its runtime when the code starts, so that the time to start a process
        is not counted."""
        if attempt.timeout:
            self.deadlines.watch(attempt, attempt.timeout)

    def look_ahead(self) -> None:
        """Give back attempts that wait too long, and claim fewer attempts ahead for a while. Called periodically."""
        if self.waiting and time.monotonic() - self.waiting[0].arrived > STALE_CLAIM_SECONDS:
            self._longest = max(self._longest, STALE_CLAIM_SECONDS)
            log.debug("gave back %d tasks that were claimed ahead: the running tasks take too long", len(self.waiting))
            self.give_back_waiting()

    def _begin(self, attempt: Attempt) -> None:
        if attempt.needs_fetch:
            handle = TaskHandle(attempt, self.end)
            attempt.handle = handle.start(self._loop, self._fetch(attempt, handle))
        else:
            attempt.handle = self.runtimes[attempt.task.runs_in].submit(attempt)

    async def _fetch(self, attempt: Attempt, handle: TaskHandle) -> None:
        """Fetch the inputs that the claim did not include and the number of earlier failures, then start the
        attempt."""
        handle.begun = True
        try:
            await self._apis.fetch_missing(attempt)
            attempt.handle = self.runtimes[attempt.task.runs_in].submit(attempt)
        except BaseException as error:  # also when user code cancels every asyncio task
            self.end(attempt, classify(attempt, error))

    def end(self, attempt: Attempt, outcome: Outcome) -> None:
        """End the attempt: free its slot and report its outcome. Only the first call counts."""
        if attempt.over:
            return
        attempt.over = True
        attempt.slots = None  # may be large, and attempts stay in a reference cycle until garbage collection
        self._over += 1
        if attempt.started:
            self.running.discard(attempt)
            self._ledger.end(attempt.ledger_index)
            took = time.monotonic() - attempt.started
            if took > self._longest:
                self._longest = took
            key = attempt.route, attempt.task.name, type(outcome)
            count = self._counts.get(key)
            if count is None:
                count = self._counts[key] = [0.0] * (len(BUCKETS) + 2)
            count[0] += took
            count[bisect_left(BUCKETS, took) + 1] += 1
        if (
            type(outcome) is Completed
            and (outcome.output is None or len(outcome.output) <= MAX_INLINE_OUTPUT_CHARS)
            and outcome.published is None
        ):
            self._reports.append((attempt.task_id, attempt.no, outcome.output, attempt.run_id))
        else:
            self._tell(attempt, outcome)
        if not self._tallying:
            self._tallying = True
            self._loop.call_soon(self.tally, context=self._variables)

    def take_counts(self) -> list[EndedAttempts]:
        """Return the counts of attempts that ended since the last call: for each route, type and outcome the sum of
        their seconds, and their number per bucket of durations. Thread-safe."""
        counts, self._counts = self._counts, {}
        return [
            (route, name, outcome.__name__, seconds, buckets)
            for (route, name, outcome), (seconds, *buckets) in counts.items()
        ]

    def tally(self) -> None:
        """Pass ended attempts to the slots and start waiting attempts, once per iteration of the event loop."""
        self._tallying = False
        self.ended += self._over
        self._slots.finish(self._reports, self._over, self._longest)
        self._reports, self._over, self._longest = [], 0, 0.0
        self._fill()

    def stop(self, attempt: Attempt, outcome: Outcome) -> None:
        """Ask an attempt to stop. `outcome`: the outcome to report if it stops."""
        if attempt.over or attempt.stop is not None:
            return
        attempt.stop = outcome
        attempt.cancelled = True
        if attempt.handle is not None:
            attempt.handle.ask_to_stop()

    def _time_is_up(self, attempt: Attempt) -> None:
        self.stop(attempt, timed_out(attempt))

    def abandon(self, attempt: Attempt) -> None:
        """End an attempt that was asked to stop and did not. If its code cannot be killed, the code continues, and its
        result is ignored."""
        outcome = attempt.stop or Interrupted()
        if attempt.handle is not None and not attempt.handle.kill():
            log.error(
                "task %s (%s) did not stop within %g s; its %s is abandoned and its result ignored",
                attempt.task_id, attempt.task.name, STOP_GRACE_SECONDS, attempt.task.runs_in,
            )  # fmt: skip
        self.end(attempt, outcome)

    def give_back_waiting(self) -> None:
        """Give back the attempts that have not started."""
        given, self.waiting = self.waiting, deque()
        for attempt in given:
            self.end(attempt, attempt.stop or Interrupted())

    def cancel(self, fences: list[tuple[str, int]]) -> None:
        """Stop cancelled attempts. Code that does not stop in time is abandoned; an attempt that completes first counts
        as completed."""
        for attempt in self._find(fences):
            if attempt.stop is None:  # every heartbeat lists them again
                self.stop(attempt, CANCELLED)
                self.deadlines.watch(attempt, STOP_GRACE_SECONDS, hard=True)

    def drop(self, fences: list[tuple[str, int]]) -> None:
        """Stop attempts that were lost; their outcome is not reported."""
        for attempt in self._find(fences):
            if attempt.stop is None:
                log.warning(
                    "task %s (%s) was lost: this worker no longer holds it; stopping it",
                    attempt.task_id, attempt.task.name,
                )  # fmt: skip
            self._drop(attempt)

    def drop_all(self) -> None:
        """Stop everything without reporting, because the lease is lost."""
        for attempt in [*self.waiting, *self.running]:
            self._drop(attempt)
        self.give_back_waiting()

    def _drop(self, attempt: Attempt) -> None:
        attempt.stop = None  # the outcome of an earlier request to stop no longer matters
        self.stop(attempt, Dropped())
        self.deadlines.watch(attempt, STOP_GRACE_SECONDS, hard=True)

    def _find(self, fences: list[tuple[str, int]]) -> list[Attempt]:
        wanted = dict(fences)
        held = [*self.waiting, *self.running] if wanted else []
        return [attempt for attempt in held if wanted.get(attempt.task_id) == attempt.no]
