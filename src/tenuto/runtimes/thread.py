"""Runs plain functions in threads. A thread is started when all others are busy. A thread that does not stop can be
abandoned."""

import contextvars
import queue
from collections import deque

from tenuto.runtimes.background import BackgroundTasks
from tenuto.runtimes.base import Attempt, RuntimeHost
from tenuto.runtimes.invoke import invoke_sync
from tenuto.runtimes.outcomes import Outcome
from tenuto.sdk.context.current_attempt import running


class ThreadHandle:
    """One function call in a thread. `left`: the call was abandoned."""

    __slots__ = ("_runtime", "attempt", "left")

    def __init__(self, runtime: "ThreadRuntime", attempt: Attempt) -> None:
        self._runtime, self.attempt, self.left = runtime, attempt, False

    def ask_to_stop(self) -> None:
        """Do nothing: the function can check `ctx.cancelled`."""

    def kill(self) -> bool:
        """Abandon this call. Its thread ends when the function ends; later calls run in other threads."""
        self.left = True
        self._runtime.left()
        return False


class ThreadRuntime:
    """Runs plain functions. The event loop handles their outcomes in batches."""

    def __init__(self, host: RuntimeHost) -> None:
        self._host = host
        self._parts = BackgroundTasks()
        self._queue: queue.SimpleQueue[ThreadHandle] = queue.SimpleQueue()
        self._outcomes: deque[tuple[ThreadHandle, Outcome]] = deque()
        self._woken = False
        self._threads = 0
        self._open = 0  # calls submitted and not done; only used in the event loop's thread

    def submit(self, attempt: Attempt) -> ThreadHandle:
        self._host.began(attempt)
        handle = ThreadHandle(self, attempt)
        self._open += 1
        if self._open > self._threads:
            self._threads += 1
            self._parts.thread("task", self._serve).start()
        self._queue.put(handle)
        return handle

    def left(self) -> None:
        """Record that a call was abandoned."""
        self._open -= 1
        self._threads -= 1

    def _serve(self) -> None:
        while True:
            handle = self._queue.get()
            outcome = contextvars.Context().run(self._invoke, handle.attempt)
            if handle.left:
                return
            self._outcomes.append((handle, outcome))
            if not self._woken:
                self._woken = True
                self._host.loop.call_soon_threadsafe(self._collect)

    def _invoke(self, attempt: Attempt) -> Outcome:
        running.set(attempt)
        return invoke_sync(attempt, self._host.open_api, self._host.loop)

    def _collect(self) -> None:
        self._woken = False
        while self._outcomes:
            handle, outcome = self._outcomes.popleft()
            if not handle.left:
                self._open -= 1
                self._host.ended(handle.attempt, outcome)
