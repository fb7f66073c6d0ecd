"""Runs plain functions in threads: as many threads as are busy at once. A thread that does not stop can be
abandoned."""

import asyncio
import contextvars
import logging
import queue
from collections import deque
from collections.abc import Callable
from typing import Any

from tenuto.runtimes.background import BackgroundTasks

log = logging.getLogger("tenuto.worker")

Work = Callable[[], Any]
Done = Callable[[Any, Any], None]


class ThreadHandle:
    """One function call in a thread; `left` when it was abandoned."""

    __slots__ = ("key", "left", "work")

    def __init__(self, key: Any, work: Work) -> None:
        self.key = key
        self.work = work
        self.left = False


class ThreadRuntime:
    """Runs function calls in threads and calls `done(key, result)` on the event loop, once per batch of results."""

    def __init__(self, loop: asyncio.AbstractEventLoop, done: Done) -> None:
        self._loop, self._done = loop, done
        self._parts = BackgroundTasks()
        self._queue: queue.SimpleQueue[ThreadHandle | None] = queue.SimpleQueue()
        self._results: deque[tuple[ThreadHandle, Any]] = deque()
        self._woken = False
        self._threads = 0
        self._open = 0  # calls submitted and not done; only used in the event loop's thread

    def submit(self, key: Any, work: Work) -> ThreadHandle:
        job = ThreadHandle(key, work)
        self._open += 1
        if self._open > self._threads:
            self._threads += 1
            self._parts.thread("task", self._serve).start()
        self._queue.put(job)
        return job

    def leave(self, job: ThreadHandle) -> None:
        """Abandon this call; its thread ends when the function does, and another thread takes its place."""
        job.left = True
        self._open -= 1
        self._threads -= 1

    def close(self) -> None:
        for _ in range(self._threads):
            self._queue.put(None)

    def _serve(self) -> None:
        while (job := self._queue.get()) is not None:
            result = contextvars.Context().run(job.work)
            if job.left:
                return
            self._results.append((job, result))
            if not self._woken:
                self._woken = True
                self._loop.call_soon_threadsafe(self._collect)

    def _collect(self) -> None:
        self._woken = False
        while self._results:
            job, result = self._results.popleft()
            if not job.left:
                self._open -= 1
                self._done(job.key, result)
