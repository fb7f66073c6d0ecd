"""The client for synchronous code: an event loop in a background thread does the work."""

from collections.abc import AsyncIterator, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, cast, overload
from uuid import UUID

from tenuto.db.connection import start_statements
from tenuto.model.durations import Duration
from tenuto.model.json import Json
from tenuto.model.monitoring import RunStatus, RunSummary, TaskSummary
from tenuto.sdk.client.client import Client, plan_all, plan_target, take_connection
from tenuto.sdk.client.loop_thread import LoopThread, Wait
from tenuto.sdk.client.run import Progress, Run, Runs
from tenuto.sdk.client.run_data import RemoteRunData
from tenuto.sdk.client.schedules import SyncSchedules
from tenuto.sdk.client.start_many import plan_many
from tenuto.sdk.client.transport import PAGE
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


class SyncRun(Generic[R]):
    """Handle of a run, for synchronous code."""

    def __init__(self, client: "SyncClient", run: Run[R]) -> None:
        self.client, self._run, self._wait = client, run, client.wait_for
        self.id, self.created = run.id, run.created
        self.data = SyncRunData(RemoteRunData(client.client, run.id), client.wait_for)

    def __repr__(self) -> str:
        return repr(self._run)

    def wait(self, timeout: Duration | None = None) -> str:
        """Wait until the run ends. Return its status: completed, failed or cancelled."""
        return self._wait(self._run.wait(timeout))

    def result(self, timeout: Duration | None = None) -> R:
        """Wait for the run and return its result. Raises RunFailed, RunCancelled or WaitTimeout."""
        return self._wait(self._run.result(timeout))

    def info(self) -> RunStatus:
        """Return the run's current status, task counts and times."""
        return self._wait(self._run.info())

    def status(self) -> str:
        """Return the run's current status."""
        return self._wait(self._run.status())

    def tasks(self) -> list[TaskSummary]:
        """Return the run's tasks, in the order of the graph."""
        return self._wait(self._run.tasks())

    def progress(self, every: Duration = 0.2) -> Iterator[Progress]:
        """Yield the progress each time it changes, until the run ends."""
        steps = self._run.progress(every)
        while (step := self._wait(_next(steps))) is not None:
            yield step

    def cancel(self, reason: str | None = None) -> None:
        """Cancel the run and all its tasks, including child tasks."""
        self._wait(self._run.cancel(reason))

    def retry(self, *, reuse: bool = True) -> "SyncRun[R]":
        """Start a new run of the same graph. Completed tasks keep their outputs unless `reuse` is False."""
        return SyncRun(self.client, self._wait(self._run.retry(reuse=reuse)))

    def delete(self) -> None:
        """Delete an ended run with its tasks, outputs and data."""
        self._wait(self._run.delete())

    def signal(self, name: str, value: object = None) -> None:
        """Send a signal to the run. A task receives it with `ctx.wait(name)`, even if it only starts waiting later."""
        self._wait(self._run.signal(name, value))


class SyncRuns(Sequence[SyncRun[R]]):
    """The runs of one `start_many`, in the order of the items."""

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
        """Wait for all runs and return their results, in order. Raises the error of the first run found to have
        failed."""
        return self._client.wait_for(self._runs.results(timeout))


class SyncClient:
    """A connection to Tenuto for synchronous code, created by `app.connect_sync()`. Threads can share it."""

    def __init__(self, client: Client, wait_for: Wait) -> None:
        self.client, self.wait_for = client, wait_for
        self.url = client.url  # for your own database connections
        self.schedules = SyncSchedules(client.schedules, wait_for)

    @overload
    def start(self, task: Task[P, R], /, *args: P.args, **kwargs: P.kwargs) -> SyncRun[R]: ...
    @overload
    def start(self, task: Task[..., R], /, *args: object, delay: Duration, **kwargs: object) -> SyncRun[R]: ...
    @overload
    def start(self, task: Task[..., R], /, *args: object, available_at: datetime, **kwargs: object) -> SyncRun[R]: ...
    @overload
    def start(self, task: Task[..., R], /, *args: object, priority: int, **kwargs: object) -> SyncRun[R]: ...
    @overload
    def start(self, task: Task[..., R], /, *args: object, dedupe_key: str, **kwargs: object) -> SyncRun[R]: ...
    @overload
    def start(self, task: Task[..., R], /, *args: object, queue: str, **kwargs: object) -> SyncRun[R]: ...
    @overload
    def start(self, task: Task[..., R], /, *args: object, resource_group: str, **kwargs: object) -> SyncRun[R]: ...
    @overload
    def start(self, task: Task[..., R], /, *args: object, labels: Iterable[str], **kwargs: object) -> SyncRun[R]: ...
    @overload
    def start(
        self, task: Task[..., R], /, *args: object, metadata: Mapping[str, Json], **kwargs: object
    ) -> SyncRun[R]: ...
    @overload
    def start(self, task: Task[..., R], /, *args: object, timeout: Duration, **kwargs: object) -> SyncRun[R]: ...
    @overload
    def start(
        self, task: Task[..., R], /, *args: object, heartbeat_timeout: Duration, **kwargs: object
    ) -> SyncRun[R]: ...
    @overload
    def start(self, task: Task[..., R], /, *args: object, max_attempts: int, **kwargs: object) -> SyncRun[R]: ...
    @overload
    def start(self, task: Task[..., R], /, *args: object, max_losses: int, **kwargs: object) -> SyncRun[R]: ...
    @overload
    def start(self, task: Task[..., R], /, *args: object, run_attempts: int, **kwargs: object) -> SyncRun[R]: ...
    @overload
    def start(self, task: Task[..., R], /, *args: object, name: str, **kwargs: object) -> SyncRun[R]: ...
    @overload
    def start(self, task: Task[..., R], /, *args: object, external_id: str, **kwargs: object) -> SyncRun[R]: ...
    @overload
    def start(self, task: Task[..., R], /, *args: object, optional: bool, **kwargs: object) -> SyncRun[R]: ...
    @overload
    def start(self, task: Task[..., R], /, *args: object, connection: object, **kwargs: object) -> SyncRun[R]: ...
    @overload
    def start(self, task: Graph | Composition | str, /, *args: object, **kwargs: object) -> SyncRun[Any]: ...
    @overload
    def start(self, task: Sequence[Graph], /, **kwargs: object) -> list[SyncRun[Any]]: ...
    def start(self, task: object, /, *args: object, **kwargs: object) -> Any:
        """Start a task, a graph, a chain or a group, or a list of graphs in one transaction."""
        connection = take_connection(task, kwargs)
        many = isinstance(task, Sequence) and not isinstance(task, str)
        if many:
            plans = plan_all(self.client.app, cast("Sequence[object]", task), kwargs)
        else:
            plans = [plan_target(self.client.app, cast("object", task), args, kwargs)]
        if connection is None:
            runs = self.wait_for(self.client.start_plans(plans))
        else:
            statements = [plan.statement(self.client.direct.org_id) for plan in plans]
            started = [start for statement in statements for start in start_statements.ask_sync(connection, statement)]
            runs = [self.client.run_of(start, plan, known=False) for start, plan in zip(started, plans, strict=True)]
        handles = [SyncRun[Any](self, run) for run in runs]
        return handles if many else handles[0]

    def start_many(self, task: Task[..., R], items: Iterable[object], /, **options: object) -> SyncRuns[R]:
        """Start a task once per item, all or none. A tuple item is the positional arguments, a dict the arguments by
        name, anything else the first argument. `dedupe_keys` gives each run its own key."""
        connection: Any = options.pop("connection", task.start_options.get("connection"))
        many = plan_many(task, items, options)
        if connection is None:
            return SyncRuns(self, self.wait_for(self.client.start_bulk(task, many)))
        statements = many.statements(self.client.direct.org_id)
        started = [start for statement in statements for start in start_statements.ask_sync(connection, statement)]
        return SyncRuns(self, Runs(self.client, [start.run_id for start in started] or many.ids, task.decode_result))

    def graph(self, name: str | None = None) -> Graph:
        """Return an empty graph; `tn.start(graph)` starts it."""
        return Graph(name)

    def run(self, id: UUID | str) -> SyncRun[Any]:
        """Return a handle for the run with this id; its result is plain JSON."""
        return SyncRun(self, self.client.run(id))

    def runs(
        self, *, status: str | None = None, name: str | None = None, type: str | None = None, most: int = PAGE
    ) -> list[RunSummary]:
        """Return up to `most` runs, newest first: `tn.runs(status="failed")`."""
        return self.wait_for(self.client.runs(status=status, name=name, type=type, most=most))

    def signal(self, run: "SyncRun[Any] | UUID | str", name: str, value: object = None) -> None:
        """Send a signal to a run. A task receives it with `ctx.wait(name)`, even if it only starts waiting later."""
        self.wait_for(self.client.signal(run.id if isinstance(run, SyncRun) else run, name, value))

    def cancel(self, run: "SyncRun[Any] | UUID | str", reason: str | None = None) -> None:
        """Cancel a run and all its tasks, including child tasks."""
        self.wait_for(self.client.cancel(run.id if isinstance(run, SyncRun) else run, reason))

    def put(self, data: bytes, *, type: str = "bytes", metadata: Mapping[str, Json] | None = None) -> DataObject:
        """Store bytes that tasks can receive. An object that no task references is deleted after a day."""
        return self.wait_for(self.client.put(data, type=type, metadata=metadata))

    def get(self, object: DataObject | UUID) -> bytes:
        """Return the bytes of a data object."""
        return self.wait_for(self.client.get(object))


@contextmanager
def connect_sync(
    app: "App | None" = None, url: str | None = None, *, org: str | None = None, key: str | None = None
) -> Generator[SyncClient]:
    """Connect a client for synchronous code; its event loop runs in its own thread until the end of the block."""
    thread = LoopThread()
    connection, leaving = connect(app, url, org=org, key=key), None
    try:
        client = thread.wait_for(connection.__aenter__())
        leaving = _leave(connection)
        yield SyncClient(client, thread.wait_for)
    finally:
        thread.close(leaving)


async def _leave(connection: AbstractAsyncContextManager[Client]) -> None:
    await connection.__aexit__(None, None, None)


async def _next(steps: AsyncIterator[Progress]) -> Progress | None:
    return await anext(steps, None)
