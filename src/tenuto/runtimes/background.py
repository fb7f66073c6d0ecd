"""Background parts of a process: one that ends by an error ends its process with that error, or is started again."""

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

AGAIN = 1.0  # seconds before a part is started again
DIED = 1  # the exit code

log = logging.getLogger("tenuto")


class BackgroundTaskDied(Exception):
    """A part without which the process is not what people think it is: the message names both."""


def end_process(died: BackgroundTaskDied) -> NoReturn:
    """At once, whatever else runs here: a supervisor or a service manager starts it again."""
    log.critical("%s: this process ends", died, exc_info=died.__cause__)
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()
    os._exit(DIED)


def stop_process(stop: asyncio.Event) -> Callable[[BackgroundTaskDied], None]:
    """For a process that first finishes what it holds; whoever waits for that raises the error afterwards."""

    def died(problem: BackgroundTaskDied) -> None:
        cause = problem.__cause__
        log.critical("%s: stopping", problem, exc_info=None if isinstance(cause, DatabaseProblem) else cause)
        stop.set()

    return died


class BackgroundTasks:
    """Asyncio tasks and threads that should outlive nothing but this: one that raises, or that other code cancelled,
    has died. `died` is told of the first, once, in whichever thread notices; by default that ends the process."""

    def __init__(self, died: Callable[[BackgroundTaskDied], None] = end_process) -> None:
        self._died = died
        self._tasks: set[asyncio.Task[Any]] = set()
        self._closing = False
        self.error: BackgroundTaskDied | None = None

    def start(self, name: str, work: Coroutine[Any, Any, Any]) -> "asyncio.Task[Any]":
        """A coroutine beside all others; that it returns is fine."""
        task = asyncio.create_task(work, name=f"tenuto {name}")
        self._tasks.add(task)
        task.add_done_callback(lambda _: self._ended(name, task))
        return task

    def thread(self, name: str, run: Callable[[], None]) -> threading.Thread:
        """A thread that does not keep the process from ending; not started yet."""

        def watched() -> None:
            try:
                run()
            except BaseException as error:  # SystemExit too, which threads swallow
                self.fail(name, error)

        return threading.Thread(target=watched, name=f"tenuto {name}", daemon=True)

    def watch_loop(self, loop: asyncio.AbstractEventLoop) -> None:
        """What a worker does in callbacks and in tasks that nobody waits for counts too. What user code leaves there is
        logged by asyncio, and no death."""

        def failed(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
            error = context.get("exception")
            if error is not None and _is_ours(error.__traceback__):
                self.fail("loop", error)
            else:
                loop.default_exception_handler(context)

        loop.set_exception_handler(failed)

    def fail(self, name: str, error: BaseException) -> None:
        """This part has died of that; from any thread."""
        if self._closing or self.error is not None:
            return
        known = isinstance(error, DatabaseProblem)  # says itself what is wrong and what to do
        said = f"{name}: {error}" if known else f"the {name} died of {type(error).__name__}: {error}".rstrip(": ")
        self.error = BackgroundTaskDied(said)
        self.error.__cause__ = error
        self._died(self.error)

    async def close(self) -> None:
        """Cancel what still runs; it is no death any more."""
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


async def restarted(name: str, run: Callable[[], Awaitable[None]], *, pause: float = AGAIN) -> None:
    """Run a part for ever: what it dies of is logged and counted, and it starts again."""
    from tenuto.model.metrics import PART_RESTARTS  # processes with user code have no use for it

    while True:
        try:
            await run()
        except Exception:
            log.exception("the %s died; it starts again in %g s", name, pause)
            PART_RESTARTS.labels(name).inc()
        await asyncio.sleep(pause)


def _is_ours(traceback: TracebackType | None) -> bool:
    """Whether the outermost function that is not the loop's own is a worker's; user code calls those of `sdk`."""
    while traceback is not None:
        module = str(traceback.tb_frame.f_globals.get("__name__", ""))
        if not module.startswith(("asyncio", "uvloop")):
            return module.startswith(("tenuto.worker.", "tenuto.runtimes."))
        traceback = traceback.tb_next
    return False
