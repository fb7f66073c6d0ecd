"""The context of a plain (synchronous) function, with the methods of Context but nothing to await."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast, overload

from tenuto.model.durations import Duration
from tenuto.model.json import Json, JsonObject
from tenuto.model.queries import DEFAULT_ROWS, QueryResult
from tenuto.sdk.context.attempt_api import ContextApi
from tenuto.sdk.context.children import Starting, SyncChild
from tenuto.sdk.context.context import Context
from tenuto.sdk.context.control import ReplayMismatch
from tenuto.sdk.context.current_attempt import RunningAttempt
from tenuto.sdk.context.durable_calls import inside, step_of, within
from tenuto.sdk.context.operator_state import SyncOperatorState
from tenuto.sdk.context.run_data import SyncRunData
from tenuto.sdk.context.step_failures import StepFailed
from tenuto.sdk.option_types import ChildOptions, shows_options
from tenuto.sdk.task import Task
from tenuto.sdk.values.codecs import result_codec
from tenuto.sdk.values.data_objects import DataObject
from tenuto.sdk.values.wire_format import MISSING

if TYPE_CHECKING:
    from tenuto.sdk.context.secrets import Secrets
    from tenuto.sdk.jobs.job import RunningJob

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

CANCEL_SECONDS = 0.2  # after this time, a waiting thread checks again whether its attempt should stop


class SyncContext:
    """The `ctx` of a function that runs in a thread; calls to the database go through the worker's event loop."""

    def __init__(
        self,
        attempt: RunningAttempt,
        api: ContextApi,
        *,
        loop: asyncio.AbstractEventLoop,
        context: Context | None = None,
    ) -> None:
        self._context = context or Context(attempt, api)
        self._loop = loop
        self.task_id = attempt.task_id
        self.run_id = attempt.run_id
        self.attempt = attempt.number
        self.idempotency_key = attempt.idempotency_key
        self.metadata = self._context.metadata
        self.log = self._context.log
        self.heartbeat = self._context.heartbeat
        self.progress = self._context.progress
        self.snooze = self._context.snooze
        self.map = self._context.map
        self.data = SyncRunData(self._context.data, self._wait)
        self.state = SyncOperatorState(self._context.state, self._wait)
        self.org = self._context.org

    def _wait(self, coroutine: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()

    @cached_property
    def secrets(self) -> "Secrets":
        """The secrets that the job of the task lists, by name: `ctx.secrets["crm-token"]`."""
        return self._context.secrets

    @property
    def task_name(self) -> str:
        """The full name of the task, such as `shop.send`."""
        return self._context.task_name

    @property
    def cancelled(self) -> bool:
        """Whether the task should stop: it was cancelled, its timeout passed or the worker is shutting down."""
        return self._context.cancelled

    @property
    def job(self) -> "RunningJob":
        """The job of a DAG that the task runs, with its inputs and outputs. Raises Fail for any other task."""
        return self._context.job

    def open_job(self, description: JsonObject, storage: str) -> "RunningJob":
        """Make the job available as `ctx.job`. Called by operators; `storage` is the object store of datasets."""
        return self._wait(self._context.open_job(description, storage))

    def write(self, data: object, output: int | str = 0, *, partition: str | None = None) -> int:
        """Write data to an output of the job and return the number of rows. The data is published when the task
        completes. `data` is a pyarrow Table, a list of dicts, a data frame, or the path of a Parquet file. Raises
        SchemaDrift if the data does not have the columns that the DAG declares, and CheckFailed if a check refuses
        it."""
        return self.job.write(data, output, partition)

    def lineage(self, columns: Mapping[str, str | Sequence[str]], output: int | str = 0) -> None:
        """State which columns of inputs an output is computed from: `{"total": ["orders.amount", "rates.rate"]}`."""
        self._context.lineage(columns, output)

    def query(self, sql: str, *, max_rows: int = DEFAULT_ROWS) -> QueryResult:
        """Run one SELECT over the inputs of the job and return its rows: `ctx.query("select count(*) as n from
        orders").dicts()`. The tables have the names of the inputs, and their data as of the creation of the task."""
        return self._wait(self._context.query(sql, max_rows=max_rows))

    def run_async(self, function: Callable[[Context], Awaitable[R]]) -> R:
        """Call an async function with the async form of this context, on the worker's event loop, and wait for it."""

        self._context.secrets = self.secrets

        async def call() -> R:
            return await function(self._context)

        future = asyncio.run_coroutine_threadsafe(call(), self._loop)
        while True:
            try:
                return future.result(timeout=CANCEL_SECONDS)
            except TimeoutError:
                if future.done():
                    return future.result()  # or raise the function's own TimeoutError
                if self.cancelled:
                    future.cancel()

    def step(self, name: str, function: Callable[P, Awaitable[R] | R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Run the function once over all attempts of the task; later attempts return its recorded result. Options are
        set on the function: `@step(max_attempts=5)`. An async function runs on the worker's event loop."""
        step = step_of(name, function)
        codec = result_codec(step.function, f"step {name!r}")
        begun = self._wait(self._context.begin_step(name))
        if begun.ended:
            return codec.decode(begun.value)
        if begun.interrupted:
            raise StepFailed(name, "asyncio.CancelledError", "an async function stopped waiting for it")
        try:
            with inside(name):
                result: Any = step.function(*args, **kwargs)
                if inspect.isawaitable(result):
                    result = self._wait(within(step.timeout, result, name))
        except BaseException as error:
            self._wait(self._context.fail_step(begun, step, error, branch=None))
            raise
        self._wait(self._context.end_step(begun, codec, result, branch=None))
        return cast("R", result)

    def patched(self, name: str) -> bool:
        """Return whether this task runs the changed code: `if ctx.patched("send-receipt"): …`. False for tasks that had
        passed this point before the code changed. The result is the same on every attempt."""
        return self._wait(self._context.patched(name))

    def sleep(self, delay: Duration) -> None:
        """Wait without occupying a worker slot. The wait survives crashes and restarts."""
        self._wait(self._context.sleep(delay))

    @overload
    def wait(self, name: str, type: type[T], *, timeout: Duration | None = None) -> T: ...
    @overload
    def wait(self, name: str, type: object = MISSING, *, timeout: Duration | None = None) -> Any: ...
    def wait(self, name: str, type: object = MISSING, *, timeout: Duration | None = None) -> object:
        """Wait for a signal to the run and return its value as `type`, a type hint. Raises TimeoutError if none arrives
        within `timeout`, and BadSignal if the value does not have this type. A sender is refused such a value while the
        task waits."""
        return self._wait(self._context.wait(name, type, timeout=timeout))

    @shows_options(ChildOptions)
    def start(self, task: Task[P, R], *args: P.args, **kwargs: P.kwargs) -> SyncChild[R]:
        """Start a child task; `child.result()` waits for it."""
        (child,) = self._wait(self._context.start_all([self._context.start(task, *args, **kwargs)]))
        return SyncChild(child, self._wait)

    @overload
    def gather(self, *children: Starting[R] | SyncChild[R]) -> list[R]: ...
    @overload
    def gather(self, *children: Starting[R] | SyncChild[R], return_exceptions: bool) -> list[R | Exception]: ...
    def gather(self, *children: Starting[object] | SyncChild[object], return_exceptions: bool = False) -> object:
        """Wait for child tasks and return their results, in order. The waiting task occupies no worker slot."""
        work = [child.child if isinstance(child, SyncChild) else child for child in children]
        return self._wait(self._context.gather(*work, return_exceptions=return_exceptions))

    def put(self, data: bytes, *, type: str = "bytes", metadata: dict[str, Any] | None = None) -> DataObject:
        """Store bytes as a data object. It is kept for as long as this task is stored, or a task to which it was
        passed."""
        return self._wait(self._context.put(data, type=type, metadata=metadata))

    def get(self, object: DataObject) -> bytes:
        """Return the bytes of a data object."""
        return self._wait(self._context.get(object))

    def publish(self, kind: str, payload: Mapping[str, Json], *, key: str | None = None) -> int:
        """Publish a side effect that a dispatcher carries out, and return its id. A later attempt that publishes the
        same payload, or the same `key`, publishes nothing new."""
        return self._wait(self._context.publish(kind, payload, key=key))

    def emit(self, output: int | str = 0, data: JsonObject | None = None, *, partition: str | None = None) -> str:
        """Emit an event of an output of the job and return the event's id. The jobs that read this output react at
        once, with `data` in `ctx.job.event`. A later attempt that emits the same event again emits nothing new."""
        return self._wait(self._context.emit(output, data, partition=partition))

    def flush(self) -> None:
        """Save unsaved run data and operator state. Called before the attempt completes."""
        self._context.replay.check()
        self._context.warn_of_forgotten()
        self.data.flush()
        self.state.flush()

    @property
    def mismatch(self) -> ReplayMismatch | None:
        """The difference between the code and the recorded steps, or None. Such a difference ends the attempt."""
        return self._context.replay.mismatch

    def load(self) -> None:
        """Read what earlier attempts recorded. Called before the function starts."""
        self._wait(self._context.replay.load())
