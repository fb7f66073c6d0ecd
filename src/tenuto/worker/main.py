"""Runs a worker: starts its supervisors and handles signals."""

import asyncio
import contextlib
import logging
import signal
from collections.abc import Callable, Generator

from tenuto.runtimes.background import BackgroundTasks, stop_process
from tenuto.runtimes.process_lifetime import exit_after, make_undumpable, stop_requested
from tenuto.worker.backends.base import Backend, open_backend
from tenuto.worker.execution.logs import WorkerLog
from tenuto.worker.settings import WorkerSettings
from tenuto.worker.supervisor.child_process import ChildProcess
from tenuto.worker.supervisor.errors import WorkerFailed, WorkerRefused
from tenuto.worker.supervisor.machine_figures import MachineFigures
from tenuto.worker.supervisor.outage_log import OutageLog
from tenuto.worker.supervisor.supervisor import SHUTDOWN_MARGIN_SECONDS, Supervisor
from tenuto.worker.supervisor.telemetry import Telemetry

__all__ = ["WorkerFailed", "WorkerRefused", "work"]

log = logging.getLogger("tenuto.worker")

SHUTDOWN_REPORT_SECONDS = 5.0  # seconds for giving back the attempts of killed children


async def work(
    settings: WorkerSettings,
    *,
    ready: Callable[[], None] = lambda: None,
    first: ChildProcess | None = None,
    stop: asyncio.Event | None = None,
) -> None:
    """Run until SIGTERM, SIGINT or `stop`, then finish within the grace period. A second signal kills the child
    processes at once. After SIGHUP, no tasks are claimed, and running tasks finish without a time limit. `first`: a
    child that has already received its settings."""
    if settings.weak_sandbox:
        make_undumpable()
    with contextlib.ExitStack() as leaving:
        await _work(settings, leaving, ready, first, stop or asyncio.Event())


async def _work(
    settings: WorkerSettings,
    leaving: contextlib.ExitStack,
    ready: Callable[[], None],
    first: ChildProcess | None,
    stop: asyncio.Event,
) -> None:
    async with open_backend(settings) as backend:
        supervisors = Supervisors(backend, settings)
        parts = BackgroundTasks(stop_process(stop))
        parts.start("schema", _fail_with_other_functions(backend))
        try:
            with _signals(supervisors, settings.grace, leaving) as stop_all:
                parts.start("stop", _stop_when(stop, stop_all))
                await supervisors.run(first, parts, ready)
        finally:
            await parts.close()
        if parts.error:
            raise parts.error


class Supervisors:
    """The supervisors of a worker, one per process. A process that is being replaced keeps its supervisor until it has
    finished its tasks."""

    def __init__(self, backend: Backend, settings: WorkerSettings) -> None:
        self._backend, self._settings = backend, settings
        self._outage_log = OutageLog(gone=_log_outage, back=_log_recovery)
        self._machine, self._log = MachineFigures(), WorkerLog()
        self._running: list[Supervisor] = []
        self._group = asyncio.TaskGroup()
        self._started = 0
        self._stopping = False

    async def run(self, first: ChildProcess | None, parts: BackgroundTasks, ready: Callable[[], None]) -> None:
        """Run until all processes have ended. Call `ready` when all of them are ready. `first`: a child that has
        already received its settings."""
        log.addHandler(self._log)
        self._machine.latest()  # starts to measure, so that the first heartbeats carry figures
        try:
            async with self._group:
                for no in range(self._settings.processes):
                    self._start(first=None if no else first)
                parts.start("announcement", _announce(list(self._running), ready))
        finally:
            log.removeHandler(self._log)

    def stop(self, grace: float | None) -> None:
        """Stop all supervisors within the grace period; None: without a time limit."""
        self._stopping = True
        for supervisor in self._running:
            supervisor.stop(grace)

    def kill(self) -> None:
        for supervisor in self._running:
            supervisor.kill()

    def _start(self, *, first: ChildProcess | None = None, replaces: Supervisor | None = None) -> None:
        self._started += 1
        supervisor = Supervisor(
            self._backend, self._settings, self._started, self._outage_log,
            telemetry=Telemetry(self._machine, self._log), replace=self._replace, first=first, replaces=replaces,
        )  # fmt: skip
        self._running.append(supervisor)
        self._group.create_task(supervisor.run()).add_done_callback(lambda _: self._running.remove(supervisor))

    def _replace(self, old: Supervisor) -> None:
        """Start another process. The old process works until the new one is ready. Then it runs the tasks that it has
        claimed, and ends."""
        if not self._stopping:
            self._start(replaces=old)


async def _announce(supervisors: list[Supervisor], ready: Callable[[], None]) -> None:
    for supervisor in supervisors:
        await supervisor.ready.wait()
    ready()


def _log_outage(reason: str, seconds: float) -> None:
    if seconds:
        log.warning("database or server still not available after %.0f s (%s)", seconds, reason)
    else:
        log.warning("database or server not available (%s); retrying", reason)


def _log_recovery(seconds: float) -> None:
    log.info("database or server available again after %.1f s", seconds)


async def _fail_with_other_functions(backend: Backend) -> None:
    raise await backend.wait_for_other_functions()


async def _stop_when(requested: asyncio.Event, stop: Callable[[], None]) -> None:
    await requested.wait()
    stop()


@contextlib.contextmanager
def _signals(supervisors: Supervisors, grace: float, leaving: contextlib.ExitStack) -> Generator[Callable[[], None]]:
    loop = asyncio.get_running_loop()
    requests = 0

    def stop() -> None:
        nonlocal requests
        requests += 1
        stop_requested.set()
        margin = SHUTDOWN_MARGIN_SECONDS + SHUTDOWN_REPORT_SECONDS
        if requests == 1:
            log.info(
                "stopping: running tasks have %g s to finish, then they are given back; the worker ends after %g s at "
                "most, or at once at a second signal", grace, grace + margin,
            )  # fmt: skip
            supervisors.stop(grace)
        else:
            log.info("stopping at once: running tasks are given back")
            supervisors.kill()
        leaving.enter_context(exit_after(grace + margin if requests == 1 else SHUTDOWN_REPORT_SECONDS))

    def drain() -> None:
        if requests:
            return
        log.info("draining: running tasks finish, however long they take; no new tasks are claimed")
        supervisors.stop(None)

    handlers = {signal.SIGTERM: stop, signal.SIGINT: stop, signal.SIGHUP: drain}
    for number, handler in handlers.items():
        loop.add_signal_handler(number, handler)
    try:
        yield stop
    finally:
        for number in handlers:
            loop.remove_signal_handler(number)
