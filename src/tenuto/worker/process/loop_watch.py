"""Warns when code blocks the event loop, with the task and the line of code."""

import logging
import os
import sys
import sysconfig
import threading
import time
from pathlib import Path
from types import FrameType

from tenuto.runtimes.background import BackgroundTasks
from tenuto.runtimes.base import Attempt
from tenuto.runtimes.invoke import invoke_async

log = logging.getLogger("tenuto.worker")

BLOCKED_SECONDS = 1.0
LOOK_EVERY_SECONDS = 0.5
REPEAT_AFTER_SECONDS = 60.0  # between two warnings about the same task

_OURS = f"{Path(__file__).parents[2]}{os.sep}"
_PYTHON = (sysconfig.get_path("stdlib") + os.sep, "<frozen")


class LoopWatch:
    """A thread that reads the stack of the event loop's thread when the loop has not run for a while. Must be created
    in the event loop's thread."""

    def __init__(self, parts: BackgroundTasks) -> None:
        self._thread_id = threading.get_ident()
        self._ran = self._looked = time.monotonic()
        self._cpu_seconds = time.process_time()
        self._warned: dict[str, float] = {}
        self._stopped = threading.Event()
        parts.thread("loop watch", self._watch).start()

    def ran(self) -> None:
        """Record that the loop runs. Called by the loop, several times per second."""
        self._ran = time.monotonic()

    def stop(self) -> None:
        """End the thread: after the loop has ended, another loop may run in a thread with the same id, and would be
        watched by mistake."""
        self._stopped.set()

    def _watch(self) -> None:
        while not self._stopped.wait(LOOK_EVERY_SECONDS):
            self._look(time.monotonic())

    def _look(self, now: float) -> None:
        pause, cpu_seconds = now - self._looked, time.process_time() - self._cpu_seconds
        self._looked, self._cpu_seconds = now, self._cpu_seconds + cpu_seconds
        # No thread of this process ran: the process was stopped (SIGSTOP), or the machine was suspended.
        stopped = pause > 2 * BLOCKED_SECONDS and cpu_seconds < pause / 2
        if now - self._ran < BLOCKED_SECONDS or stopped:
            return
        # The documented use of _current_frames: reading the stack of another thread, to find what blocks it.
        frame = sys._current_frames().get(self._thread_id)  # pyright: ignore[reportPrivateUsage]
        where = _user_frame(frame)
        if where is None:  # the loop is idle, or waits for a busy machine
            return
        attempt = _attempt_of(frame)
        name = attempt.task.name if attempt else where.f_code.co_qualname
        if now - self._warned.get(name, -REPEAT_AFTER_SECONDS) < REPEAT_AFTER_SECONDS:
            return
        self._warned[name] = now
        what = f"task {attempt.task_id} ({name})" if attempt else f"code in {name}"
        log.warning(
            "%s has blocked the event loop for %.1f s at %s:%d, and all other tasks of this process with it; make it a "
            "plain function (def), or make the blocking call with asyncio.to_thread",
            what, now - self._ran, where.f_code.co_filename, where.f_lineno,
        )  # fmt: skip


def _user_frame(frame: FrameType | None) -> FrameType | None:
    """Return the innermost frame of user code. If there is none, return the innermost frame of an installed package.
    Return None if all frames belong to Tenuto or to Python's own modules."""
    package = None
    while frame is not None:
        file = frame.f_code.co_filename
        if "site-packages" in file:
            package = package or frame
        elif not file.startswith((_OURS, *_PYTHON)):
            return frame
        frame = frame.f_back
    return package


def _attempt_of(frame: FrameType | None) -> Attempt | None:
    """Return the attempt whose function is being called in these frames; None if there is none."""
    while frame is not None:
        if frame.f_code is invoke_async.__code__:
            return frame.f_locals.get("attempt")
        frame = frame.f_back
    return None
