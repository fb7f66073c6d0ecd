"""Runs the event loop of a synchronous client in its own thread."""

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import CancelledError, Future
from typing import Any, Protocol, TypeVar

T = TypeVar("T")

DEAD = "the thread of this client died; connect again"


class Wait(Protocol):
    """Runs a coroutine on the event loop of the client and returns its result."""

    def __call__(self, coroutine: Coroutine[Any, Any, T], /) -> T: ...


class LoopThread:
    """Runs an event loop in its own thread. If the thread dies, waiting callers get an error."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._asked: set[Future[Any]] = set()
        self._ended = threading.Event()
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="tenuto client", daemon=True)
        self._thread.start()

    def wait_for(self, coroutine: Coroutine[Any, Any, T], /) -> T:
        """Run a coroutine on the loop and return its result. Raises RuntimeError if the thread has died."""
        if self._ended.is_set():
            coroutine.close()
            raise RuntimeError(DEAD) from self._error
        future = asyncio.run_coroutine_threadsafe(coroutine, self.loop)
        self._asked.add(future)
        try:
            if self._ended.is_set():
                future.cancel()
            return future.result()
        except CancelledError:
            if self._ended.is_set():
                raise RuntimeError(DEAD) from self._error
            raise
        finally:
            self._asked.discard(future)

    def close(self, last: Coroutine[Any, Any, object] | None) -> None:
        """Run the last coroutine, in the calling thread if the loop's thread has died, then stop the loop."""
        try:
            if last is not None and not self._ended.is_set():
                self.wait_for(last)
            elif last is not None:
                self._thread.join()
                self.loop.run_until_complete(last)
        finally:
            self.loop.call_soon_threadsafe(self.loop.stop)
            self._thread.join()
            self.loop.close()

    def _run(self) -> None:
        try:
            self.loop.run_forever()
        except BaseException as error:  # such as SystemExit in a callback
            self._error = error
        self._ended.set()
        for future in list(self._asked):
            future.cancel()
