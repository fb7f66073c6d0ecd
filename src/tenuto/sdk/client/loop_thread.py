"""Runs the event loop of a synchronous client in its own thread."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from typing import Any, Protocol, TypeVar

from tenuto.db.connection.forks import abandon, notice_fork, renew_after_fork

T = TypeVar("T")

DEAD = "the thread of this client died; open a new client"
CLOSED = "the client is closed; open a new one"


class Wait(Protocol):
    """Runs a coroutine on the event loop of the client and returns its result."""

    def __call__(self, coroutine: Coroutine[Any, Any, T], /) -> T: ...


class DaemonExecutor(ThreadPoolExecutor):
    """Runs each blocking call of an event loop, such as the lookup of a host, in a daemon thread of its own. With
    another executor, Python would wait for its threads at exit, so a call that hangs would delay the exit. Python does
    not notice the forks of uWSGI: there a child process would wait forever for threads that only its parent has."""

    # Event loops pass no keyword arguments to their executor.
    def submit(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, fn: Callable[..., T], /, *args: object
    ) -> Future[T]:
        future: Future[T] = Future()

        def run() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(fn(*args))
            except BaseException as error:
                future.set_exception(error)

        threading.Thread(target=run, name="tenuto client call", daemon=True).start()
        return future


class LoopThread:
    """Runs an event loop in its own thread, from the first call on. If the thread dies, waiting callers get an error.
    A forked child starts a thread and a loop of its own."""

    def __init__(self) -> None:
        self._closed = False
        self._start_over()
        renew_after_fork(self)

    def renew(self) -> None:
        """Drop the loop without closing it: it belongs to the parent process, and its thread does not exist in this
        process. Called in a forked child."""
        abandon(self._loop, self._thread, self._asked)
        self._start_over()

    def _start_over(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()
        self._asked: set[Future[Any]] = set()
        self._ended = threading.Event()
        self._error: BaseException | None = None

    def wait_for(self, coroutine: Coroutine[Any, Any, T], /) -> T:
        """Run a coroutine on the loop and return its result. Raises RuntimeError if the client is closed or the thread
        has died."""
        notice_fork()
        if self._closed or self._ended.is_set():
            coroutine.close()
            raise RuntimeError(CLOSED if self._closed else DEAD) from self._error
        future = asyncio.run_coroutine_threadsafe(coroutine, self._loop or self._start())
        self._asked.add(future)
        try:
            if self._ended.is_set():
                future.cancel()
            return future.result()
        except CancelledError:
            if self._ended.is_set():
                raise RuntimeError(CLOSED if self._closed else DEAD) from self._error
            raise
        finally:
            self._asked.discard(future)

    def _start(self) -> asyncio.AbstractEventLoop:
        with self._starting:
            if self._loop is None:
                loop = asyncio.new_event_loop()
                loop.set_default_executor(DaemonExecutor())
                self._thread = threading.Thread(target=self._run, args=(loop,), name="tenuto client", daemon=True)
                self._thread.start()
                self._loop = loop
            return self._loop

    def has_callers(self) -> bool:
        """Whether threads wait for results."""
        return bool(self._asked)

    def close(self, last: Coroutine[Any, Any, object] | None) -> None:
        """Run the coroutine `last`, then stop the loop. If the loop's thread has died, `last` runs in the calling
        thread."""
        try:
            if last is not None and not self._ended.is_set():
                self.wait_for(last)
            elif last is not None and self._loop is not None and self._thread is not None:
                self._thread.join()
                self._loop.run_until_complete(last)
        finally:
            self._closed = True
            if self._loop is not None and self._thread is not None:
                if not self._ended.is_set():
                    asyncio.run_coroutine_threadsafe(_cancel_all(), self._loop).result()
                self._loop.call_soon_threadsafe(self._loop.stop)
                self._thread.join()
                self._loop.close()

    def _run(self, loop: asyncio.AbstractEventLoop) -> None:
        try:
            loop.run_forever()
        except BaseException as error:  # such as SystemExit in a callback
            self._error = error
        self._ended.set()
        for future in list(self._asked):
            future.cancel()


async def _cancel_all() -> None:
    """Cancel the asyncio tasks that other callers still wait for, as `asyncio.run` does at its end."""
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
