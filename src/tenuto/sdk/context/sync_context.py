"""The context of a plain (synchronous) function, with the methods of Context but nothing to await."""

import asyncio
import json
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, ParamSpec, TypeVar

from tenuto.model.durations import Duration
from tenuto.sdk.context.attempt_api import AttemptApi
from tenuto.sdk.context.children import Child, Starting
from tenuto.sdk.context.context import Context
from tenuto.sdk.context.current_attempt import RunningAttempt
from tenuto.sdk.context.run_data import SyncRunData
from tenuto.sdk.task import Task
from tenuto.sdk.values.codecs import result_codec
from tenuto.sdk.values.data_objects import DataObject

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


class SyncContext:
    """The `ctx` of a function that runs in a thread; calls to the database go through the worker's event loop."""

    def __init__(self, attempt: RunningAttempt, api: AttemptApi, *, loop: asyncio.AbstractEventLoop) -> None:
        self._context = Context(attempt, api)
        self._loop = loop
        self.task_id = attempt.task_id
        self.run_id = attempt.run_id
        self.attempt = attempt.no
        self.metadata = self._context.metadata
        self.log = self._context.log
        self.heartbeat = self._context.heartbeat
        self.progress = self._context.progress
        self.snooze = self._context.snooze
        self.map = self._context.map
        self.data = SyncRunData(self._context.data, self._wait)

    def _wait(self, coroutine: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()

    @property
    def cancelled(self) -> bool:
        """Whether the task should stop: it was cancelled, its timeout passed or the worker is shutting down."""
        return self._context.cancelled

    def step(self, name: str, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Run the function once over all attempts of the task; later attempts return its recorded result."""
        codec = result_codec(function, f"step {name!r}")
        no, record = self._wait(self._context.replay.next(name, "step"))
        if record:
            return codec.decode(record.value)
        result = function(*args, **kwargs)
        self._wait(self._context.replay.record(no, name, json.loads(codec.encode(result) or "null")))
        return result

    def sleep(self, delay: Duration) -> None:
        """Wait without occupying a worker slot. The wait survives crashes and restarts."""
        self._wait(self._context.sleep(delay))

    def wait(self, name: str, *, timeout: Duration | None = None) -> Any:
        """Return the value of a signal sent to the run; raise TimeoutError if none arrives within `timeout`."""
        return self._wait(self._context.wait(name, timeout=timeout))

    def start(self, task: Task[P, R], *args: P.args, **kwargs: P.kwargs) -> Child[R]:
        """Start a child task."""
        (child,) = self._wait(self._context.start_all([self._context.start(task, *args, **kwargs)]))
        return child

    def gather(self, *children: Starting[Any] | Child[Any], return_exceptions: bool = False) -> Sequence[Any]:
        """Wait for child tasks and return their results, in order. The waiting task occupies no worker slot."""
        return self._wait(self._context.gather(*children, return_exceptions=return_exceptions))

    def put(self, data: bytes, *, type: str = "bytes", metadata: dict[str, Any] | None = None) -> DataObject:
        """Store bytes as a data object. It is kept while this task, or one it is passed to, is stored."""
        return self._wait(self._context.put(data, type=type, metadata=metadata))

    def get(self, object: DataObject) -> bytes:
        """Return the bytes of a data object."""
        return self._wait(self._context.get(object))

    def flush(self) -> None:
        """Save unsaved run data. Called before the attempt completes."""
        self.data.flush()
