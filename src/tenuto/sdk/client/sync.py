"""The client without await: one event loop in a thread does the work."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, cast, overload
from uuid import UUID

from tenuto.db.connection import start_statements
from tenuto.model.durations import Duration
from tenuto.model.monitoring import RunStatus, RunSummary, TaskSummary
from tenuto.sdk.client.client import Client, plan_all, plan_target, take_connection
from tenuto.sdk.client.run import Progress, Run, Runs
from tenuto.sdk.client.run_data import RemoteRunData
from tenuto.sdk.client.schedules import SyncSchedules
from tenuto.sdk.client.start_many import plan_many
from tenuto.sdk.connect import connect
from tenuto.sdk.context.run_data import SyncRunData
from tenuto.sdk.graphs.compose import Composition
from tenuto.sdk.graphs.graph import Graph
from tenuto.sdk.task import Task
from tenuto.sdk.values.data_objects import DataObject

if TYPE_CHECKING:
    from tenuto.sdk.app import App

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
Wait = Callable[[Coroutine[Any, Any, T]], T]

DEAD = "the thread of this client died; connect again"


class SyncRun(Generic[R]):
    """A run, without await."""

    def __init__(self, client: "SyncClient", run: Run[R]) -> None:
        self.client, self._run, self._wait = client, run, client.wait_for
        self.id, self.created = run.id, run.created
        self.data = SyncRunData(RemoteRunData(client.client, run.id), client.wait_for)

    def __repr__(self) -> str:
        return repr(self._run)

    def wait(self, timeout: Duration | None = None) -> str:
        """How it ended: completed, failed or cancelled."""
        return self._wait(self._run.wait(timeout))

    def result(self, timeout: Duration | None = None) -> R:
        """What it returned; raises RunFailed, RunCancelled or WaitTimeout."""
        return self._wait(self._run.result(timeout))

    def info(self) -> RunStatus:
        """Everything about it now."""
        return self._wait(self._run.info())

    def status(self) -> str:
        """Its state now."""
        return self._wait(self._run.status())

    def tasks(self) -> list[TaskSummary]:
        """Its tasks, in the order of the graph."""
        return self._wait(self._run.tasks())

    def progress(self, every: Duration = 0.2) -> Iterator[Progress]:
        """How far it is, whenever that changed, until it is over."""
        steps = self._run.progress(every)
        while (step := self._wait(_next(steps))) is not None:
            yield step

    def cancel(self, reason: str | None = None) -> None:
        """Stop it and everything below it."""
        self._wait(self._run.cancel(reason))

    def retry(self, *, reuse: bool = True) -> "SyncRun[R]":
        """A new run of the same graph; completed tasks keep their outputs unless `reuse` is False."""
        return SyncRun(self.client, self._wait(self._run.retry(reuse=reuse)))

    def delete(self) -> None:
        """Delete it, once it has ended, with everything it has."""
        self._wait(self._run.delete())

    def signal(self, name: str, value: Any = None) -> None:
        """Send a message that a task of it waits for, or will wait for."""
        self._wait(self._run.signal(name, value))


class SyncRuns(Sequence[SyncRun[R]]):
    """The runs of one `start_many`, in order."""

    def __init__(self, client: "SyncClient", runs: Runs[R]) -> None:
        self._client, self._runs = client, runs

    @property
    def ids(self) -> list[UUID]:
        return self._runs.ids

    def __len__(self) -> int:
        return len(self._runs)

    @overload
    def __getitem__(self, index: int) -> SyncRun[R]: ...
    @overload
    def __getitem__(self, index: slice) -> "SyncRuns[R]": ...
    def __getitem__(self, index: int | slice) -> "SyncRun[R] | SyncRuns[R]":
        if isinstance(index, slice):
            return SyncRuns(self._client, self._runs[index])
        return SyncRun(self._client, self._runs[index])

    def results(self, timeout: Duration | None = None) -> list[R]:
        """What they returned, in order; the first that failed raises."""
        return self._client.wait_for(self._runs.results(timeout))


class SyncClient:
    """A connection to Tenuto, without await. Made by `app.connect_sync()`; any thread may use it."""

    def __init__(self, client: Client, wait_for: Wait[Any]) -> None:
        self.client, self.wait_for = client, wait_for
        self.url = client.url  # for connections of your own
        self.schedules = SyncSchedules(client.schedules, wait_for)

    @overload
    def start(self, task: Task[P, R], /, *args: P.args, **kwargs: P.kwargs) -> SyncRun[R]: ...
    @overload
    def start(self, task: Task[..., R], /, *args: Any, delay: Duration, **kwargs: Any) -> SyncRun[R]: ...
    @overload
    def start(self, task: Task[..., R], /, *args: Any, available_at: datetime, **kwargs: Any) -> SyncRun[R]: ...
    @overload
    def start(self, task: Task[..., R], /, *args: Any, priority: int, **kwargs: Any) -> SyncRun[R]: ...
    @overload
    def start(self, task: Task[..., R], /, *args: Any, dedupe_key: str, **kwargs: Any) -> SyncRun[R]: ...
    @overload
    def start(self, task: Task[..., R], /, *args: Any, queue: str, **kwargs: Any) -> SyncRun[R]: ...
    @overload
    def start(self, task: Task[..., R], /, *args: Any, resource_group: str, **kwargs: Any) -> SyncRun[R]: ...
    @overload
    def start(self, task: Task[..., R], /, *args: Any, labels: Iterable[str], **kwargs: Any) -> SyncRun[R]: ...
    @overload
    def start(self, task: Task[..., R], /, *args: Any, metadata: Mapping[str, Any], **kwargs: Any) -> SyncRun[R]: ...
    @overload
    def start(self, task: Task[..., R], /, *args: Any, timeout: Duration, **kwargs: Any) -> SyncRun[R]: ...
    @overload
    def start(self, task: Task[..., R], /, *args: Any, heartbeat_timeout: Duration, **kwargs: Any) -> SyncRun[R]: ...
    @overload
    def start(self, task: Task[..., R], /, *args: Any, max_attempts: int, **kwargs: Any) -> SyncRun[R]: ...
    @overload
    def start(self, task: Task[..., R], /, *args: Any, max_losses: int, **kwargs: Any) -> SyncRun[R]: ...
    @overload
    def start(self, task: Task[..., R], /, *args: Any, run_attempts: int, **kwargs: Any) -> SyncRun[R]: ...
    @overload
    def start(self, task: Task[..., R], /, *args: Any, name: str, **kwargs: Any) -> SyncRun[R]: ...
    @overload
    def start(self, task: Task[..., R], /, *args: Any, external_id: str, **kwargs: Any) -> SyncRun[R]: ...
    @overload
    def start(self, task: Task[..., R], /, *args: Any, optional: bool, **kwargs: Any) -> SyncRun[R]: ...
    @overload
    def start(self, task: Task[..., R], /, *args: Any, connection: Any, **kwargs: Any) -> SyncRun[R]: ...
    @overload
    def start(self, task: Graph | Composition | str, /, *args: Any, **kwargs: Any) -> SyncRun[Any]: ...
    @overload
    def start(self, task: Sequence[Graph], /, **kwargs: Any) -> list[SyncRun[Any]]: ...
    def start(self, task: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Start a task, a graph, a chain or group, or many graphs at once (all or none)."""
        connection = take_connection(task, kwargs)
        many = isinstance(task, Sequence) and not isinstance(task, str)
        app = self.client.app
        plans = plan_all(app, cast("Sequence[Any]", task), kwargs) if many else [plan_target(app, task, args, kwargs)]
        if connection is None:
            runs = self.wait_for(self.client.start_plans(plans))
        else:
            statements = [plan.statement(self.client.direct.org_id) for plan in plans]
            started = [one for statement in statements for one in start_statements.ask_sync(connection, statement)]
            runs = [self.client.run_of(one, plan, known=False) for one, plan in zip(started, plans, strict=True)]
        found = [SyncRun[Any](self, run) for run in runs]
        return found if many else found[0]

    def start_many(self, task: Task[..., R], items: Iterable[Any], /, **options: Any) -> SyncRuns[R]:
        """Start a task for each item, all or none: a tuple is its arguments, a dict its arguments by name, anything
        else its first argument. `dedupe_keys` gives each its own key."""
        connection = options.pop("connection", task.said.get("connection"))
        if connection is None:
            return SyncRuns(self, self.wait_for(self.client.start_many(task, items, **options)))
        many = plan_many(task, items, options)
        statements = many.statements(self.client.direct.org_id)
        started = [one for statement in statements for one in start_statements.ask_sync(connection, statement)]
        return SyncRuns(self, Runs(self.client, [one.run_id for one in started] or many.ids, task.decode_result))

    def graph(self, name: str | None = None) -> Graph:
        """An empty graph; `tn.start(graph)` starts it."""
        return Graph(name)

    def run(self, id: UUID | str) -> SyncRun[Any]:
        """A run by its id; its result is plain JSON."""
        return SyncRun(self, self.client.run(id))

    def runs(self, **which: Any) -> list[RunSummary]:
        """The newest runs, newest first: `tn.runs(status="failed")`."""
        return self.wait_for(self.client.runs(**which))

    def signal(self, run: "SyncRun[Any] | UUID | str", name: str, value: Any = None) -> None:
        """Send a message that a task of the run waits for with `ctx.wait(name)`, or will wait for."""
        self.wait_for(self.client.signal(run.id if isinstance(run, SyncRun) else run, name, value))

    def cancel(self, run: "SyncRun[Any] | UUID | str", reason: str | None = None) -> None:
        """Stop a run and everything below it."""
        self.wait_for(self.client.cancel(run.id if isinstance(run, SyncRun) else run, reason))

    def put(self, data: bytes, *, type: str = "bytes", metadata: dict[str, Any] | None = None) -> DataObject:
        """Store bytes to pass to tasks; an object that no task holds goes after a day."""
        return self.wait_for(self.client.put(data, type=type, metadata=metadata))

    def get(self, object: DataObject | UUID) -> bytes:
        """The bytes of a data object."""
        return self.wait_for(self.client.get(object))


class LoopThread:
    """An event loop in a thread of its own; when the thread dies, whoever waits is told, and not left waiting."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._asked: set[Future[Any]] = set()
        self._ended = threading.Event()
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="tenuto client", daemon=True)
        self._thread.start()

    def wait_for(self, answer: Coroutine[Any, Any, T]) -> T:
        if self._ended.is_set():
            answer.close()
            raise RuntimeError(DEAD) from self._error
        future = asyncio.run_coroutine_threadsafe(answer, self.loop)
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

    def close(self, last: Coroutine[Any, Any, Any] | None) -> None:
        """After this last piece of work, which is done here if the thread has died."""
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
        for answer in list(self._asked):
            answer.cancel()


@contextmanager
def connect_sync(
    app: "App | None" = None, url: str | None = None, *, org: str | None = None, key: str | None = None
) -> Generator[SyncClient]:
    """A client without await; its loop lives in a thread of its own until the end of the block."""
    thread = LoopThread()
    connection, leaving = connect(app, url, org=org, key=key), None
    try:
        client = thread.wait_for(connection.__aenter__())
        leaving = _leave(connection)
        yield SyncClient(client, thread.wait_for)
    finally:
        thread.close(leaving)


async def _leave(connection: Any) -> None:
    await connection.__aexit__(None, None, None)


async def _next(steps: Any) -> Progress | None:
    return await anext(steps, None)
