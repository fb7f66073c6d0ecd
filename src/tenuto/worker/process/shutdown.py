"""The shutdown of a worker process: running attempts finish within the grace period, the others are given back."""

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable

from tenuto.runtimes.base import Attempt, ProcessKeeper
from tenuto.runtimes.outcomes import Interrupted
from tenuto.worker.execution.failure_hooks import FailureHooks
from tenuto.worker.execution.flusher import Flusher
from tenuto.worker.execution.reporter import Reporter
from tenuto.worker.process.executor_group import ExecutorGroup
from tenuto.worker.process.registration import Registration

log = logging.getLogger("tenuto.worker")

STOP_REPORT_SECONDS = 2.0  # for attempts that were asked to stop at the end of the grace period
LAST_REPORT_SECONDS = 5.0
MAX_NAMES = 10  # task names in a log line


class Shutdown:
    """Waits for the request to stop, then ends the work of the process."""

    def __init__(
        self,
        groups: list[ExecutorGroup],
        reporter: Reporter,
        flusher: Flusher,
        failure_hooks: FailureHooks,
        registration: Registration,
    ) -> None:
        self._groups, self._reporter, self._flusher = groups, reporter, flusher
        self._failure_hooks, self._registration = failure_hooks, registration
        self._loop = asyncio.get_running_loop()
        self._stop_by: float | None = None  # None: no limit
        self._finishes = False
        self.requested = asyncio.Event()

    def request(self, grace: float | None) -> None:
        """Stop within the grace period. The latest request wins: a drain may become a stop with a limit."""
        self._finishes = False
        self._stop_by = None if grace is None else self._loop.time() + grace
        self.requested.set()

    def finish(self) -> None:
        """Run all tasks that were claimed, however long they take, then stop."""
        self._finishes = True
        self.requested.set()

    async def allows(self, start: Awaitable[None]) -> bool:
        """Wait for the start of the process. Return False if the process was asked to stop and the start does not end
        within LAST_REPORT_SECONDS, for example because the database is unreachable."""
        starting, request = asyncio.ensure_future(start), asyncio.ensure_future(self.requested.wait())
        await asyncio.wait([starting, request], return_when=asyncio.FIRST_COMPLETED)
        request.cancel()
        await asyncio.wait([starting], timeout=LAST_REPORT_SECONDS)
        if not starting.done():
            starting.cancel()
            return False
        starting.result()
        return True

    async def run(self) -> bool:
        """Claim nothing more, let running attempts finish within the grace period, give back the others and close the
        session. Return True if code was left behind that would keep the process from ending."""
        for group in self._groups:
            group.executor.returns_waiting = not self._finishes
            group.slots.stop_claiming()
        while self._finishes and not all(group.idle for group in self._groups):
            await asyncio.sleep(0.01)
        self._log_what_it_waits_for()
        for group in self._groups:
            group.executor.returns_waiting = True
            group.executor.give_back_waiting()
        await self._wait_for_running(lambda: self._stop_by)
        for group in self._groups:
            for attempt in list(group.executor.running):
                log.warning(
                    "task %s (%s) is given back: it did not finish within the grace period",
                    attempt.task_id, attempt.task.name,
                )  # fmt: skip
                group.executor.stop(attempt, Interrupted())
        end = self._loop.time() + STOP_REPORT_SECONDS
        await self._wait_for_running(lambda: end)
        left_behind = self._running()
        for group in self._groups:
            for attempt in list(group.executor.running):
                group.executor.abandon(attempt)
            group.executor.tally()
            group.slots.close()
        for group in self._groups:
            for claimer in group.claimers:
                await asyncio.to_thread(claimer.thread.join, 5.0)
        await self._deliver_last_reports()
        await self._end_task_processes()
        return bool(left_behind)

    def _log_what_it_waits_for(self) -> None:
        if running := Counter(attempt.task.name for attempt in self._running()):
            tasks = ", ".join(f"{name} ({count})" for name, count in running.most_common(MAX_NAMES))
            tasks += ", …" if len(running) > MAX_NAMES else ""
            left = None if self._stop_by is None else max(0.0, self._stop_by - self._loop.time())
            limit = "however long they take" if left is None else f"for {left:.0f} s at most"
            log.info("waiting for %d running tasks %s: %s", running.total(), limit, tasks)
        if waiting := sum(len(group.executor.waiting) for group in self._groups):
            log.info("%d tasks are given back: they were claimed and have not started", waiting)

    def _running(self) -> list[Attempt]:
        return [attempt for group in self._groups for attempt in group.executor.running]

    async def _wait_for_running(self, by: Callable[[], float | None]) -> None:
        """Wait until nothing runs or the time is over."""
        while self._running():
            if (end := by()) is not None and self._loop.time() >= end:
                return
            await asyncio.sleep(0.01)

    async def _deliver_last_reports(self) -> None:
        try:
            async with asyncio.timeout(LAST_REPORT_SECONDS):
                await self._reporter.flush()
                await self._flusher.flush()
                await self._failure_hooks.flush()
        except TimeoutError:
            log.error("the last reports could not be delivered; their tasks are retried when the lease expires")
        await self._registration.close()

    async def _end_task_processes(self) -> None:
        runtimes = [runtime for group in self._groups for runtime in group.executor.runtimes.values()]
        await asyncio.gather(*(runtime.close() for runtime in runtimes if isinstance(runtime, ProcessKeeper)))
