"""The asynchronous client, which starts and watches runs: `async with app.connect() as tn`."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from datetime import datetime
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, Unpack, cast, overload
from uuid import UUID

from tenuto.db.connection import start_statements
from tenuto.db.connection.errors import BadAddress
from tenuto.model.durations import Duration
from tenuto.model.environment import Environment
from tenuto.model.errors import InvalidInput
from tenuto.model.json import Json
from tenuto.model.tasks import Started
from tenuto.sdk.client.audit_calls import AuditCalls
from tenuto.sdk.client.object_calls import ObjectCalls
from tenuto.sdk.client.open_runs import check_addition, name_task, open_options, take_task_id
from tenuto.sdk.client.run import Run, Runs, as_id
from tenuto.sdk.client.run_collection import RunCollection, find_run, purge_queue
from tenuto.sdk.client.run_watcher import Watcher
from tenuto.sdk.client.schedules import Schedules
from tenuto.sdk.client.sql_transport import SqlTransport
from tenuto.sdk.client.start_many import BulkStart, build_many
from tenuto.sdk.client.start_request import RunOptions, StartRequest, build_task_start, split_options, take_connection
from tenuto.sdk.client.transport import Transport
from tenuto.sdk.collections.attributes import Collections
from tenuto.sdk.graphs.compile import build_graph_start
from tenuto.sdk.graphs.compose import Composition
from tenuto.sdk.graphs.graph import Graph
from tenuto.sdk.option_types import ManyOptions, OpenOptions, StartOptions, shows_options
from tenuto.sdk.task import AnyTask, Task
from tenuto.sdk.task_reference import as_json, named_task
from tenuto.sdk.values.codecs import as_value

if TYPE_CHECKING:
    from tenuto.sdk.app import App

P = ParamSpec("P")
R = TypeVar("R")


class Client(AuditCalls, ObjectCalls, Collections):
    """A connection to Tenuto, created by `app.open()` or `app.connect()`. After a fork, the child process opens
    connections of its own."""

    def __init__(self, transport: Transport, *, url: str, app: "App | None" = None) -> None:
        self.transport, self.app = transport, app
        self.url = url
        """The address of the database or server, to open your own connections: `tn.start(…, connection=conn)`."""
        self.schedules = Schedules(self)
        """The schedules: `await tn.schedules.put("nightly", send, cron="0 3 * * *")`."""
        self.runs = RunCollection(transport)
        """The runs: `await tn.runs(status="failed")` lists them, `await tn.runs.retry(type="shop.charge")` retries."""
        self.watcher = Watcher(transport)
        self.embedded: Environment | None = None  # None: the database is not an embedded one
        self._opened = AsyncExitStack()

    def close_later(self, opened: AsyncExitStack) -> None:
        """Register resources that are closed together with the client."""
        self._opened = opened

    async def close(self) -> None:
        """Close the connections of the client. Callers that wait for results get an error. Closing twice is allowed."""
        await self.watcher.close()
        await self._opened.aclose()

    @property
    def direct(self) -> SqlTransport:
        """The direct database transport, for operations that the HTTP API does not offer. Raises BadAddress when
        connected to a server."""
        if not isinstance(self.transport, SqlTransport):
            raise BadAddress(
                f"this call needs the database itself, but {self.url} is a server; set TENUTO_DATABASE_URL"
            )
        return self.transport

    # Type checkers compare the arguments with the signature of the function. They cannot do this if start options are
    # among the arguments. To keep the check, pass the options with `task.options(…)`.
    @overload
    async def start(self, task: Task[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Run[R]: ...
    @overload
    async def start(self, task: Task[..., R], /, *args: object, delay: Duration | None, **kwargs: object) -> Run[R]: ...
    @overload
    async def start(
        self, task: Task[..., R], /, *args: object, available_at: datetime | None, **kwargs: object
    ) -> Run[R]: ...
    @overload
    async def start(self, task: Task[..., R], /, *args: object, priority: int | None, **kwargs: object) -> Run[R]: ...
    @overload
    async def start(self, task: Task[..., R], /, *args: object, dedupe_key: str | None, **kwargs: object) -> Run[R]: ...
    @overload
    async def start(self, task: Task[..., R], /, *args: object, queue: str | None, **kwargs: object) -> Run[R]: ...
    @overload
    async def start(
        self, task: Task[..., R], /, *args: object, resource_group: str | None, **kwargs: object
    ) -> Run[R]: ...
    @overload
    async def start(
        self, task: Task[..., R], /, *args: object, labels: Iterable[str] | None, **kwargs: object
    ) -> Run[R]: ...
    @overload
    async def start(
        self, task: Task[..., R], /, *args: object, metadata: Mapping[str, Json] | None, **kwargs: object
    ) -> Run[R]: ...
    @overload
    async def start(
        self, task: Task[..., R], /, *args: object, timeout: Duration | None, **kwargs: object
    ) -> Run[R]: ...
    @overload
    async def start(
        self, task: Task[..., R], /, *args: object, heartbeat_timeout: Duration | None, **kwargs: object
    ) -> Run[R]: ...
    @overload
    async def start(
        self, task: Task[..., R], /, *args: object, max_attempts: int | None, **kwargs: object
    ) -> Run[R]: ...
    @overload
    async def start(self, task: Task[..., R], /, *args: object, max_losses: int | None, **kwargs: object) -> Run[R]: ...
    @overload
    async def start(
        self, task: Task[..., R], /, *args: object, run_attempts: int | None, **kwargs: object
    ) -> Run[R]: ...
    @overload
    async def start(
        self, task: Task[..., R], /, *args: object, run_id: UUID | str | None, **kwargs: object
    ) -> Run[R]: ...
    @overload
    async def start(
        self, task: Task[..., R], /, *args: object, deadline: Duration | None, **kwargs: object
    ) -> Run[R]: ...
    @overload
    async def start(
        self, task: Task[..., R], /, *args: object, expires: Duration | None, **kwargs: object
    ) -> Run[R]: ...
    @overload
    async def start(self, task: Task[..., R], /, *args: object, hold: bool | None, **kwargs: object) -> Run[R]: ...
    @overload
    async def start(self, task: Task[..., R], /, *args: object, name: str | None, **kwargs: object) -> Run[R]: ...
    @overload
    async def start(
        self, task: Task[..., R], /, *args: object, external_id: str | None, **kwargs: object
    ) -> Run[R]: ...
    @overload
    async def start(self, task: Task[..., R], /, *args: object, optional: bool | None, **kwargs: object) -> Run[R]: ...
    @overload
    async def start(self, task: Task[..., R], /, *args: object, connection: object, **kwargs: object) -> Run[R]: ...
    @overload
    async def start(self, task: Graph | Composition | str, /, *args: object, **kwargs: object) -> Run[Any]: ...
    @overload
    async def start(self, task: Sequence[Graph], /, **kwargs: object) -> list[Run[Any]]: ...
    @shows_options(StartOptions)
    async def start(self, task: object, /, *args: object, **kwargs: object) -> Any:
        """Start a task, a graph, a chain or a group, and return its run. For a list of graphs, start all of them in one
        transaction and return a list of runs. `input`: a value to store with the run of a graph."""
        connection = take_connection(task, kwargs)
        if isinstance(task, Sequence) and not isinstance(task, str):
            requests = build_starts(self.app, cast("Sequence[object]", task), kwargs)
            return await self.start_requests(requests, connection)
        (run,) = await self.start_requests([build_start(self.app, task, args, kwargs)], connection)
        return run

    async def start_requests(self, requests: list[StartRequest], connection: object = None) -> list[Run[Any]]:
        """Start the requested runs in one transaction."""
        if connection is None:
            started = await self.transport.start(requests)
        else:
            statements = [request.statement(self.direct.org_id) for request in requests]
            started = [
                start
                for statement in statements
                for start in await start_statements.execute_start(connection, statement)
            ]
        known = connection is None
        return [self.run_of(start, request.read, known=known) for start, request in zip(started, requests, strict=True)]

    def run_of(self, started: Started, read: Callable[[Json], Any] = as_json, *, known: bool) -> Run[Any]:
        """Return the handle of a started run. `known=False`: the run was started in the caller's own transaction, and
        exists only after that transaction has committed."""
        return Run(self, started.run_id, read, created=started.created, known=known)

    @shows_options(ManyOptions)
    async def start_many(
        self, task: Task[..., R] | str, items: Iterable[object], /, **options: Unpack[ManyOptions]
    ) -> Runs[R]:
        """Start a task, passed as a task or by its name, once per item. Either all runs are started or none; over HTTP,
        this holds for each request of up to 10,000 runs or 60 MB. An item that is a tuple contains the positional
        arguments, a dict contains the arguments by name, and any other item is the only argument. `dedupe_keys`: one
        key per item."""
        task = named_task(self.app, task) if isinstance(task, str) else task
        connection: object = options.pop("connection", task.start_options.get("connection"))
        many = build_many(task, items, options)
        if connection is None:
            return await self.start_bulk(task, many)
        statements = many.statements(self.direct.org_id)
        started = [
            start for statement in statements for start in await start_statements.execute_start(connection, statement)
        ]
        return self.runs_of(task, many, started, known=False)

    async def start_bulk(self, task: Task[..., R], many: BulkStart) -> Runs[R]:
        """Start the encoded runs."""
        return self.runs_of(task, many, await self.transport.start_many(many), known=True)

    def runs_of(self, task: Task[..., R], many: BulkStart, started: list[Started], *, known: bool) -> Runs[R]:
        """Return the handles of started runs. `started` is empty if all runs are new and have the ids of `many`.
        `known=False`: the runs were started in the caller's own transaction."""
        ids, created = [start.run_id for start in started] or many.ids, [start.created for start in started]
        return Runs(self, ids, task.decode_result, created=created, known=known)

    @shows_options(OpenOptions)
    async def open_run(
        self, name: str | None = None, *, input: object = None, **options: Unpack[OpenOptions]
    ) -> Run[Any]:
        """Open a run without tasks. `run.add(task, …)` adds tasks to it; it ends after `run.close()`."""
        connection = options.pop("connection", None)
        return await self.open_with(open_options({"name": name, **options}, input), connection)

    async def open_with(self, run: RunOptions, connection: object = None) -> Run[Any]:
        """Open a run with checked options. With a connection, the run is opened in the current transaction of this
        connection."""
        if connection is None:
            return self.run_of(await self.transport.open_run(run), known=True)
        statement = start_statements.open_run(org_id=self.direct.org_id, run=json.dumps(run))
        (started,) = await start_statements.execute_start(connection, statement)
        return self.run_of(started, known=False)

    def build_addition(
        self, target: object, args: tuple[object, ...], kwargs: dict[str, object]
    ) -> tuple[StartRequest, object]:
        """Return the request to add tasks to an open run, and the caller's connection, or None without a connection."""
        connection, task_id = take_connection(target, kwargs), take_task_id(target, kwargs)
        request = check_addition(build_start(self.app, target, args, kwargs), target)
        return request if task_id is None else name_task(request, task_id), connection

    @shows_options(StartOptions)
    def start_statement(
        self, task: AnyTask | str, /, *args: object, **kwargs: object
    ) -> start_statements.StartStatement:
        """Return a start as SQL and parameters, to execute with any driver in your own transaction."""
        request = build_start(self.app, task, args, kwargs)
        return start_statements.to_execute(request.statement(self.direct.org_id))

    def graph(self, name: str | None = None) -> Graph:
        """Return an empty graph; `tn.start(graph)` starts it."""
        return Graph(name)

    def run(self, id: UUID | str) -> Run[Any]:
        """Return a handle for the run with this id; its result is plain JSON."""
        return Run(self, as_id(id), as_json, created=False, known=False)

    async def find(
        self,
        task: Task[..., R] | str | None = None,
        /,
        *,
        name: str | None = None,
        dedupe_key: str | None = None,
        external_id: str | None = None,
    ) -> Run[R] | None:
        """Return the run of a task with this dedupe key, or None if there is no such run. For the run of a named graph,
        pass `name` instead of a task. With `external_id` instead of a dedupe key, return the newest run that has a task
        with this id in another system."""
        known = named_task(self.app, task) if isinstance(task, str) else task
        id = await find_run(
            self.transport, type=known and known.name, name=name, dedupe_key=dedupe_key, external_id=external_id
        )
        read = known.decode_result if known is not None else as_json
        return None if id is None else Run(self, id, read, created=False)

    async def signal(self, run: Run[Any] | UUID | str, name: str, value: object = None) -> None:
        """Send a signal to a run. A task receives it with `ctx.wait(name)`, even if it only starts waiting later."""
        await self.transport.send_signal(as_id(run), name, as_value(f"signal {name}", value))

    async def cancel(self, run: Run[Any] | UUID | str, reason: str | None = None) -> None:
        """Cancel a run and all its tasks, including child tasks."""
        await self.transport.cancel_run(as_id(run), reason)

    async def purge_queue(self, queue: str, *, reason: str | None = None, dry_run: bool = False) -> list[UUID]:
        """Cancel the tasks of a queue that wait to start or to be retried, and return their ids. `dry_run`: only return
        the ids."""
        return await purge_queue(self.transport, queue, reason=reason, dry_run=dry_run)


def build_start(
    app: "App | None", target: object, args: tuple[object, ...], kwargs: Mapping[str, object]
) -> StartRequest:
    """Build the start request for a task, graph, composition or task name."""
    if isinstance(target, str):
        target = named_task(app, target)
    if isinstance(target, Task):
        task, rest = split_options(cast("AnyTask", target), kwargs)
        return build_task_start(task, args, rest)
    if isinstance(target, Composition):
        return build_graph_start(target.bind(*args), kwargs)
    if isinstance(target, Graph):
        if args:
            raise InvalidInput(f"{target} takes no arguments", "pass them to its tasks: g.add(task, …)")
        return build_graph_start(target, kwargs)
    raise InvalidInput(f"{target!r:.60} cannot be started", "pass a task, graph, chain or group, without calling it")


def build_starts(app: "App | None", targets: Sequence[object], kwargs: Mapping[str, object]) -> list[StartRequest]:
    """Build the start requests for several graphs that start together."""
    if key := next((key for key in ("dedupe_key", "run_id") if key in kwargs), None):
        raise InvalidInput(f"{key} is for one run, but this starts several", "start them one by one")
    return [build_start(app, target, (), kwargs) for target in targets]
