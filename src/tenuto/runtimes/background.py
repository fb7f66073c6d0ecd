"""Background tasks of a process. If one dies of an error, the process ends with that error or the task is restarted."""

import asyncio
import logging
import os
import sys
import threading
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from types import TracebackType
from typing import Any, NoReturn

from tenuto.db.connection.errors import DatabaseProblem

RESTART_PAUSE_SECONDS = 1.0
EXIT_CODE = 1  # of a process whose background task has died

log = logging.getLogger("tenuto")


class BackgroundTaskDied(Exception):
    """A background task that the process needs has died; the message names the task and the error."""


def died_of(name: str, error: BaseException) -> BackgroundTaskDied:
    known = isinstance(error, DatabaseProblem)  # its message already says what is wrong and what to do
    died = BackgroundTaskDied(
        f"{name}: {error}" if known else f"the {name} died of {type(error).__name__}: {error}".rstrip(": ")
    )
    died.__cause__ = error
    return died


def _unexplained(died: BackgroundTaskDied) -> BaseException | None:
    """Return the error whose traceback helps: not that of a problem whose message says what to do."""
    return None if isinstance(died.__cause__, DatabaseProblem) else died.__cause__


def end_process(died: BackgroundTaskDied) -> NoReturn:
    """End the process at once; a supervisor or service manager restarts it."""
    log.critical("%s; exiting", died, exc_info=_unexplained(died))
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()
    os._exit(EXIT_CODE)


def stop_process(stop: asyncio.Event) -> Callable[[BackgroundTaskDied], None]:
    """Return a callback that requests a graceful stop. The code that waits for the stop raises the error afterwards."""

    def died(problem: BackgroundTaskDied) -> None:
        log.critical("%s; stopping", problem, exc_info=_unexplained(problem))
        stop.set()

    return died


class BackgroundTasks:
    """Asyncio tasks and threads that the process needs. A task or thread has died if it raises an error or, for a task,
    if other code cancels it. `died` is called once, for the first death, in the thread that notices it; by default it
    ends the process."""

    def __init__(self, died: Callable[[BackgroundTaskDied], None] = end_process) -> None:
        self._died = died
        self._tasks: set[asyncio.Task[Any]] = set()
        self._closing = False
        self.error: BackgroundTaskDied | None = None

    def start(self, name: str, work: Coroutine[Any, Any, Any]) -> "asyncio.Task[Any]":
        """Run a coroutine in the background. It is not an error if the coroutine returns."""
        task = asyncio.create_task(work, name=f"tenuto {name}")
        self._tasks.add(task)
        task.add_done_callback(lambda _: self._ended(name, task))
        return task

    def thread(self, name: str, run: Callable[[], None]) -> threading.Thread:
        """Return a daemon thread, not started yet."""

        def watched() -> None:
            try:
                run()
            except BaseException as error:  # including SystemExit, which threads swallow
                self.fail(name, error)

        return threading.Thread(target=watched, name=f"tenuto {name}", daemon=True)

    def watch_loop(self, loop: asyncio.AbstractEventLoop) -> None:
        """Treat an unhandled error in a callback, or in an asyncio task that is never awaited, as the death of a
        background task if the callback or task belongs to Tenuto. Otherwise the error is only logged."""

        def failed(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
            error = context.get("exception")
            if error is not None and _is_ours(error.__traceback__):
                self.fail("loop", error)
            else:
                loop.default_exception_handler(context)

        loop.set_exception_handler(failed)

    def fail(self, name: str, error: BaseException) -> None:
        """Record that a background task has died. Thread-safe."""
        if self._closing or self.error is not None:
            return
        self.error = died_of(name, error)
        self._died(self.error)

    async def close(self) -> None:
        """Cancel all tasks; this does not count as dying."""
        self._closing = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _ended(self, name: str, task: "asyncio.Task[Any]") -> None:
        self._tasks.discard(task)
        if task.cancelled():
            self.fail(name, asyncio.CancelledError("it was cancelled by other code"))
        elif (error := task.exception()) is not None:
            self.fail(name, error)


async def restarted(name: str, run: Callable[[], Awaitable[None]], *, pause: float = RESTART_PAUSE_SECONDS) -> None:
    """Run a background task forever. When it returns or raises an error, it is restarted after a pause. Errors are
    logged and counted."""
    from tenuto.model.metrics import PART_RESTARTS  # imported late: processes with user code do not need it

    while True:
        try:
            await run()
        except Exception:
            log.exception("the %s died; restarting it in %g s", name, pause)
            PART_RESTARTS.labels(name).inc()
        await asyncio.sleep(pause)


def _is_ours(traceback: TracebackType | None) -> bool:
    """Return whether code of the worker raised the error: the outermost frame outside of asyncio is in `worker` or
    `runtimes`. For errors of user code, that frame is in user code."""
    while traceback is not None:
        module = str(traceback.tb_frame.f_globals.get("__name__", ""))
        if not module.startswith(("asyncio", "uvloop")):
            return module.startswith(("tenuto.worker.", "tenuto.runtimes."))
        traceback = traceback.tb_next
    return False
