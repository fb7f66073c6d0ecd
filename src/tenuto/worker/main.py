"""Runs a worker: starts its supervisors and handles signals."""

import asyncio
import contextlib
import logging
import signal
from collections.abc import Callable, Iterator

from tenuto.runtimes.background import BackgroundTasks, stop_process
from tenuto.runtimes.process_lifetime import leaving_within, make_undumpable
from tenuto.worker.backends.base import Backend, open_backend
from tenuto.worker.settings import WorkerSettings
from tenuto.worker.supervisor.child_process import ChildProcess
from tenuto.worker.supervisor.outage_log import OutageLog
from tenuto.worker.supervisor.supervisor import SHUTDOWN_MARGIN_SECONDS, Supervisor, WorkerRefused

__all__ = ["WorkerRefused", "work"]

log = logging.getLogger("tenuto.worker")

SHUTDOWN_REPORT_SECONDS = 5.0  # seconds for giving back the attempts of killed children


async def work(
    settings: WorkerSettings,
    *,
    ready: Callable[[], None] = lambda: None,
    first: ChildProcess | None = None,
    stop: asyncio.Event | None = None,
) -> None:
    """Run until SIGTERM, SIGINT or `stop`, then finish within the grace period; a second signal kills at once. SIGHUP
    finishes all held tasks first. `first`: a child that was already started."""
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
        outage_log = OutageLog(gone=_log_outage, back=_log_recovery)
        supervisors = [
            Supervisor(backend, settings, no + 1, outage_log, first=None if no else first)
            for no in range(settings.processes)
        ]
        parts = BackgroundTasks(stop_process(stop))
        parts.start("announcement", _announce(supervisors, ready))
        parts.start("schema", _fail_with_other_functions(backend))
        try:
            with _signals(supervisors, settings.grace, leaving) as stop_all:
                parts.start("stop", _stop_when(stop, stop_all))
                async with asyncio.TaskGroup() as group:
                    for supervisor in supervisors:
                        group.create_task(supervisor.run())
        finally:
            await parts.close()
        if parts.error:
            raise parts.error


def _log_outage(reason: str, seconds: float) -> None:
    if seconds:
        log.warning("database or server still not available after %.0f s (%s)", seconds, reason)
    else:
        log.warning("database or server not available (%s); retrying", reason)


def _log_recovery(seconds: float) -> None:
    log.info("database or server available again after %.1f s", seconds)


async def _announce(supervisors: list[Supervisor], ready: Callable[[], None]) -> None:
    for supervisor in supervisors:
        await supervisor.ready.wait()
    ready()


async def _fail_with_other_functions(backend: Backend) -> None:
    raise await backend.wait_for_other_functions()


async def _stop_when(requested: asyncio.Event, stop: Callable[[], None]) -> None:
    await requested.wait()
    stop()


@contextlib.contextmanager
def _signals(
    supervisors: list[Supervisor], grace: float, leaving: contextlib.ExitStack
) -> Iterator[Callable[[], None]]:
    loop = asyncio.get_running_loop()
    requests = 0

    def stop() -> None:
        nonlocal requests
        requests += 1
        for supervisor in supervisors:
            if requests == 1:
                supervisor.stop(grace)
            else:
                supervisor.kill()
        log.info("stopping: %s", "running tasks may finish within the grace period" if requests == 1 else "at once")
        leaving.enter_context(
            leaving_within((grace + SHUTDOWN_MARGIN_SECONDS if requests == 1 else 0.0) + SHUTDOWN_REPORT_SECONDS)
        )

    def drain() -> None:
        if requests:
            return
        log.info("draining: running tasks finish, no new tasks are claimed")
        for supervisor in supervisors:
            supervisor.stop(None)

    handlers = {signal.SIGTERM: stop, signal.SIGINT: stop, signal.SIGHUP: drain}
    for number, handler in handlers.items():
        loop.add_signal_handler(number, handler)
    try:
        yield stop
    finally:
        for number in handlers:
            loop.remove_signal_handler(number)
