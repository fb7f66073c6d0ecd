"""The asynchronous client, which starts and watches runs: `async with app.connect() as tn`."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast, overload
from uuid import UUID

from tenuto.db.connection import start_statements
from tenuto.db.connection.errors import BadAddress
from tenuto.model.durations import Duration
from tenuto.model.errors import InvalidInput, NotFound
from tenuto.model.json import Json
from tenuto.model.monitoring import RunSummary
from tenuto.model.tasks import Started
from tenuto.sdk.client.run import Run, Runs
from tenuto.sdk.client.run_watcher import Watcher
from tenuto.sdk.client.schedules import Schedules
from tenuto.sdk.client.sql_transport import SqlTransport
from tenuto.sdk.client.start_many import BulkStart, plan_many
from tenuto.sdk.client.start_request import StartRequest, plan_task, split_options
from tenuto.sdk.client.transport import PAGE, Transport
from tenuto.sdk.graphs.compile import plan_graph
from tenuto.sdk.graphs.compose import Composition
from tenuto.sdk.graphs.graph import Graph
from tenuto.sdk.task import AnyTask, Task
from tenuto.sdk.values.codecs import codec_of
from tenuto.sdk.values.data_objects import DataObject, as_bytes
from tenuto.sdk.values.wire_format import MISSING, NotSerializable

if TYPE_CHECKING:
    from tenuto.sdk.app import App

P = ParamSpec("P")
R = TypeVar("R")


class Client:
    """A connection to Tenuto, created by `app.connect()`."""

    def __init__(self, transport: Transport, *, url: str, app: "App | None" = None) -> None:
        self.transport, self.app = transport, app
        self.url = url  # for your own database connections: `tn.start(…, connection=conn)`
        self.schedules = Schedules(transport)
        self.watcher = Watcher(transport)

    @property
    def direct(self) -> SqlTransport:
        """The direct database transport, for operations that the HTTP API does not offer. Raises BadAddress when
        connected to a server."""
        if not isinstance(self.transport, SqlTransport):
            raise BadAddress(
                f"this call needs the database itself, but {self.url} is a server; set TENUTO_DATABASE_URL"
            )
        return self.transport

    # Type checkers compare the arguments with the function's signature. With start options among the arguments they
    # cannot; pass those with `task.options(…)` instead.
    @overload
    async def start(self, task: Task[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Run[R]: ...
    @overload
    async def start(self, task: Task[..., R], /, *args: object, delay: Duration, **kwargs: object) -> Run[R]: ...
    @overload
    async def start(self, task: Task[..., R], /, *args: object, available_at: datetime, **kwargs: object) -> Run[R]: ...
    @overload
    async def start(self, task: Task[..., R], /, *args: object, priority: int, **kwargs: object) -> Run[R]: ...
    @overload
    async def start(self, task: Task[..., R], /, *args: object, dedupe_key: str, **kwargs: object) -> Run[R]: ...
    @overload
    async def start(self, task: Task[..., R], /, *args: object, queue: str, **kwargs: object) -> Run[R]: ...
    @overload
    async def start(self, task: Task[..., R], /, *args: object, resource_group: str, **kwargs: object) -> Run[R]: ...
    @overload
    async def start(self, task: Task[..., R], /, *args: object, labels: Iterable[str], **kwargs: object) -> Run[R]: ...
    @overload
    async def start(
        self, target: Task[..., R], /, *args: object, metadata: Mapping[str, Json], **kwargs: object
    ) -> Run[R]: ...
    @overload
    async def start(self, task: Task[..., R], /, *args: object, timeout: Duration, **kwargs: object) -> Run[R]: ...
    @overload
    async def start(
        self, target: Task[..., R], /, *args: object, heartbeat_timeout: Duration, **kwargs: object
    ) -> Run[R]: ...
    @overload
    async def start(self, task: Task[..., R], /, *args: object, max_attempts: int, **kwargs: object) -> Run[R]: ...
    @overload
    async def start(self, task: Task[..., R], /, *args: object, max_losses: int, **kwargs: object) -> Run[R]: ...
    @overload
    async def start(self, task: Task[..., R], /, *args: object, run_attempts: int, **kwargs: object) -> Run[R]: ...
    @overload
    async def start(self, task: Task[..., R], /, *args: object, name: str, **kwargs: object) -> Run[R]: ...
    @overload
    async def start(self, task: Task[..., R], /, *args: object, external_id: str, **kwargs: object) -> Run[R]: ...
    @overload
    async def start(self, task: Task[..., R], /, *args: object, optional: bool, **kwargs: object) -> Run[R]: ...
    @overload
    async def start(self, task: Task[..., R], /, *args: object, connection: object, **kwargs: object) -> Run[R]: ...
    @overload
    async def start(self, task: Graph | Composition | str, /, *args: object, **kwargs: object) -> Run[Any]: ...
    @overload
    async def start(self, task: Sequence[Graph], /, **kwargs: object) -> list[Run[Any]]: ...
    async def start(self, task: object, /, *args: object, **kwargs: object) -> Any:
        """Start a task, a graph, a chain or a group, or a list of graphs in one transaction."""
        connection = take_connection(task, kwargs)
        if isinstance(task, Sequence) and not isinstance(task, str):
            plans = plan_all(self.app, cast("Sequence[object]", task), kwargs)
            return await self.start_plans(plans, connection)
        (run,) = await self.start_plans([plan_target(self.app, task, args, kwargs)], connection)
        return run

    async def start_plans(self, plans: list[StartRequest], connection: Any = None) -> list[Run[Any]]:
        """Start the requested runs in one transaction."""
        if connection is None:
            started = await self.transport.start(plans)
        else:
            statements = [plan.statement(self.direct.org_id) for plan in plans]
            started = [
                start
                for statement in statements
                for start in await start_statements.execute_start(connection, statement)
            ]
        return [self.run_of(start, plan, known=connection is None) for start, plan in zip(started, plans, strict=True)]

    def run_of(self, started: Started, plan: StartRequest, *, known: bool) -> Run[Any]:
        """Return the handle of a started run. `known=False`: it was started in the caller's own transaction and exists
        only once that commits."""
        return Run(self, started.run_id, plan.read, created=started.created, known=known)

    async def start_many(self, task: Task[..., R], items: Iterable[object], /, **options: object) -> Runs[R]:
        """Start a task once per item, all or none. A tuple item is the positional arguments, a dict the arguments by
        name, anything else the first argument. `dedupe_keys` gives each run its own key."""
        connection: Any = options.pop("connection", task.start_options.get("connection"))
        many = plan_many(task, items, options)
        if connection is None:
            return await self.start_bulk(task, many)
        statements = many.statements(self.direct.org_id)
        started = [
            start for statement in statements for start in await start_statements.execute_start(connection, statement)
        ]
        return Runs(self, [start.run_id for start in started] or many.ids, task.decode_result)

    async def start_bulk(self, task: Task[..., R], many: BulkStart) -> Runs[R]:
        """Start the encoded runs."""
        return Runs(self, await self.transport.start_many(many), task.decode_result)

    def graph(self, name: str | None = None) -> Graph:
        """Return an empty graph; `tn.start(graph)` starts it."""
        return Graph(name)

    def run(self, id: UUID | str) -> Run[Any]:
        """Return a handle for the run with this id; its result is plain JSON."""
        return Run(self, as_id(id), lambda value: value, known=False)

    async def signal(self, run: Run[Any] | UUID | str, name: str, value: object = None) -> None:
        """Send a signal to a run. A task receives it with `ctx.wait(name)`, even if it only starts waiting later."""
        await self.transport.send_signal(as_id(run), name, check_value(f"signal {name}", value))

    async def cancel(self, run: Run[Any] | UUID | str, reason: str | None = None) -> None:
        """Cancel a run and all its tasks, including child tasks."""
        await self.transport.cancel_run(as_id(run), reason)

    async def runs(
        self, *, status: str | None = None, name: str | None = None, type: str | None = None, most: int = PAGE
    ) -> list[RunSummary]:
        """Return up to `most` runs, newest first: `await tn.runs(status="failed")`."""
        summaries: list[RunSummary] = []
        while len(summaries) < most:
            limit, before = min(PAGE, most - len(summaries)), summaries[-1].id if summaries else None
            page = await self.transport.list_runs(status=status, name=name, type=type, before=before, limit=limit)
            summaries += page
            if len(page) < limit:
                break
        return summaries

    async def put(self, data: bytes, *, type: str = "bytes", metadata: Mapping[str, Json] | None = None) -> DataObject:
        """Store bytes that tasks can receive. An object that no task references is deleted after a day."""
        return DataObject(await self.transport.put_object(as_bytes(data), type, metadata))

    async def get(self, object: DataObject | UUID) -> bytes:
        """Return the bytes of a data object."""
        return await self.transport.get_object(object.id if isinstance(object, DataObject) else object)


def plan_target(
    app: "App | None", target: object, args: tuple[object, ...], kwargs: Mapping[str, object]
) -> StartRequest:
    """Build the start request for a task, graph, composition or task name."""
    if isinstance(target, str):
        if app is None:
            raise NotFound(f"no app is connected that could have a task {target!r}", "write app.connect()")
        target = app.find(target)
    if isinstance(target, Task):
        task, rest = split_options(cast("AnyTask", target), kwargs)
        return plan_task(task, args, rest)
    if isinstance(target, Composition):
        return plan_graph(target.bind(*args), kwargs)
    if isinstance(target, Graph):
        if args:
            raise InvalidInput(f"{target} takes no arguments", "pass them to its tasks: g.add(task, …)")
        return plan_graph(target, kwargs)
    raise InvalidInput(f"{target!r:.60} cannot be started", "start a task (@app.task), a graph, a chain or a group")


def plan_all(app: "App | None", targets: Sequence[object], kwargs: Mapping[str, object]) -> list[StartRequest]:
    """Build the start requests for several graphs that start together."""
    if "dedupe_key" in kwargs:
        raise InvalidInput("dedupe_key is for one run, but this starts several", "start them one by one")
    return [plan_target(app, target, (), kwargs) for target in targets]


def take_connection(target: object, kwargs: dict[str, object]) -> Any:
    """Return the caller's own database connection, if one was passed as a keyword or set with `task.options(…)`."""
    if isinstance(target, Task):
        task = cast("AnyTask", target)
        if "connection" in kwargs and "connection" not in task.signature.parameters:
            return kwargs.pop("connection")
        return task.start_options.get("connection")
    return kwargs.pop("connection", None)


def check_value(what: str, value: object) -> Json:
    """Return a value without a type hint as JSON, or raise InvalidInput."""
    try:
        return codec_of(MISSING).encode(value, "value")
    except NotSerializable as problem:
        raise InvalidInput(f"{what}: {problem}") from problem


def as_id(run: Run[Any] | UUID | str) -> UUID:
    """Return the id of a run that was passed as a handle, UUID or text."""
    if isinstance(run, Run):
        return run.id
    try:
        return run if isinstance(run, UUID) else UUID(run)
    except (ValueError, AttributeError, TypeError) as error:
        raise InvalidInput(f"{run!r:.60} is not the id of a run", "pass a run, or its id") from error
