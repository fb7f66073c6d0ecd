"""The client for synchronous code: an event loop in a background thread does the work."""

import atexit
import json
import threading
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, Unpack, cast, overload
from uuid import UUID

from tenuto.db.connection import start_statements
from tenuto.db.connection.errors import Unreachable
from tenuto.db.connection.forks import renew_after_fork
from tenuto.model.durations import Duration
from tenuto.model.json import Json
from tenuto.sdk.client.audit_calls import SyncAuditCalls
from tenuto.sdk.client.client import Client, build_start, build_starts
from tenuto.sdk.client.loop_thread import CLOSED, LoopThread
from tenuto.sdk.client.object_calls import SyncObjectCalls
from tenuto.sdk.client.open_runs import open_options
from tenuto.sdk.client.run_collection import SyncRunCollection
from tenuto.sdk.client.schedules import SyncSchedules
from tenuto.sdk.client.start_many import build_many
from tenuto.sdk.client.start_request import take_connection
from tenuto.sdk.client.sync_run import SyncRun, SyncRuns
from tenuto.sdk.collections.attributes import SyncCollections
from tenuto.sdk.connect import open_client
from tenuto.sdk.graphs.compose import Composition
from tenuto.sdk.graphs.graph import Graph
from tenuto.sdk.option_types import ManyOptions, OpenOptions, StartOptions, shows_options
from tenuto.sdk.task import AnyTask, Task
from tenuto.sdk.task_reference import named_task

if TYPE_CHECKING:
    from tenuto.sdk.app import App

P = ParamSpec("P")
R = TypeVar("R")


_open_clients: "set[SyncClient]" = set()


class SyncClient(SyncAuditCalls, SyncObjectCalls, SyncCollections):
    """A connection to Tenuto for synchronous code, created by `app.open_sync()` or `app.connect_sync()`. Threads can
    share it. After a fork, the child process opens connections of its own."""

    def __init__(
        self, app: "App | None" = None, url: str | None = None, *, org: str | None = None, key: str | None = None
    ) -> None:
        self._app, self._address, self._org, self._key = app, url, org, key
        self._thread = LoopThread()
        self.wait_for = self._thread.wait_for
        self._opening = threading.Lock()
        self._client: Client | None = None
        self._closed = False
        renew_after_fork(self)
        _open_clients.add(self)

    def renew(self) -> None:
        """Make a new lock in a forked child: a thread of the parent may hold the old one."""
        self._opening = threading.Lock()

    @property
    def client(self) -> Client:
        """The asynchronous client that does the work, opened on first use."""
        return self._client or self._open()

    async def connect(self) -> Client:
        """Open the asynchronous client."""
        return await open_client(self._app, self._address, org=self._org, key=self._key)

    def _open(self) -> Client:
        with self._opening:
            if self._closed:
                raise Unreachable(CLOSED)
            if self._client is None:
                self._client = self.wait_for(self.connect())
            return self._client

    def close(self) -> None:
        """Close the connections of the client and end its thread. Closing twice is allowed."""
        with self._opening:
            if not self._closed:
                _open_clients.discard(self)
                self._closed, client, self._client = True, self._client, None
                self._thread.close(client.close() if client else None)

    def close_at_exit(self) -> None:
        """Close the client, unless daemon threads wait for results: ending their waits would print tracebacks, and the
        operating system closes the sockets anyway."""
        if not self._thread.has_callers():
            self.close()

    @property
    def url(self) -> str:
        """The address of the database or server, to open your own connections."""
        return self.client.url

    @property
    def schedules(self) -> SyncSchedules:
        """The schedules: `tn.schedules.put("nightly", send, cron="0 3 * * *")`."""
        return SyncSchedules(self)

    @overload
    def start(self, task: Task[P, R], /, *args: P.args, **kwargs: P.kwargs) -> SyncRun[R]: ...
    @overload
    def start(self, task: Task[..., R], /, *args: object, delay: Duration | None, **kwargs: object) -> SyncRun[R]: ...
    @overload
    def start(
        self, task: Task[..., R], /, *args: object, available_at: datetime | None, **kwargs: object
    ) -> SyncRun[R]: ...
    @overload
    def start(self, task: Task[..., R], /, *args: object, priority: int | None, **kwargs: object) -> SyncRun[R]: ...
    @overload
    def start(self, task: Task[..., R], /, *args: object, dedupe_key: str | None, **kwargs: object) -> SyncRun[R]: ...
    @overload
    def start(self, task: Task[..., R], /, *args: object, queue: str | None, **kwargs: object) -> SyncRun[R]: ...
    @overload
    def start(
        self, task: Task[..., R], /, *args: object, resource_group: str | None, **kwargs: object
    ) -> SyncRun[R]: ...
    @overload
    def start(
        self, task: Task[..., R], /, *args: object, labels: Iterable[str] | None, **kwargs: object
    ) -> SyncRun[R]: ...
    @overload
    def start(
        self, task: Task[..., R], /, *args: object, metadata: Mapping[str, Json] | None, **kwargs: object
    ) -> SyncRun[R]: ...
    @overload
    def start(self, task: Task[..., R], /, *args: object, timeout: Duration | None, **kwargs: object) -> SyncRun[R]: ...
    @overload
    def start(
        self, task: Task[..., R], /, *args: object, heartbeat_timeout: Duration | None, **kwargs: object
    ) -> SyncRun[R]: ...
    @overload
    def start(self, task: Task[..., R], /, *args: object, max_attempts: int | None, **kwargs: object) -> SyncRun[R]: ...
    @overload
    def start(self, task: Task[..., R], /, *args: object, max_losses: int | None, **kwargs: object) -> SyncRun[R]: ...
    @overload
    def start(self, task: Task[..., R], /, *args: object, run_attempts: int | None, **kwargs: object) -> SyncRun[R]: ...
    @overload
    def start(
        self, task: Task[..., R], /, *args: object, run_id: UUID | str | None, **kwargs: object
    ) -> SyncRun[R]: ...
    @overload
    def start(
        self, task: Task[..., R], /, *args: object, deadline: Duration | None, **kwargs: object
    ) -> SyncRun[R]: ...
    @overload
    def start(self, task: Task[..., R], /, *args: object, expires: Duration | None, **kwargs: object) -> SyncRun[R]: ...
    @overload
    def start(self, task: Task[..., R], /, *args: object, hold: bool | None, **kwargs: object) -> SyncRun[R]: ...
    @overload
    def start(self, task: Task[..., R], /, *args: object, name: str | None, **kwargs: object) -> SyncRun[R]: ...
    @overload
    def start(self, task: Task[..., R], /, *args: object, external_id: str | None, **kwargs: object) -> SyncRun[R]: ...
    @overload
    def start(self, task: Task[..., R], /, *args: object, optional: bool | None, **kwargs: object) -> SyncRun[R]: ...
    @overload
    def start(self, task: Task[..., R], /, *args: object, connection: object, **kwargs: object) -> SyncRun[R]: ...
    @overload
    def start(self, task: Graph | Composition | str, /, *args: object, **kwargs: object) -> SyncRun[Any]: ...
    @overload
    def start(self, task: Sequence[Graph], /, **kwargs: object) -> list[SyncRun[Any]]: ...
    @shows_options(StartOptions)
    def start(self, task: object, /, *args: object, **kwargs: object) -> Any:
        """Start a task, a graph, a chain or a group, and return its run. For a list of graphs, start all of them in one
        transaction and return a list of runs. `input`: a value to store with the run of a graph."""
        connection = take_connection(task, kwargs)
        many = isinstance(task, Sequence) and not isinstance(task, str)
        if many:
            requests = build_starts(self.client.app, cast("Sequence[object]", task), kwargs)
        else:
            requests = [build_start(self.client.app, cast("object", task), args, kwargs)]
        if connection is None:
            runs = self.wait_for(self.client.start_requests(requests))
        else:
            statements = [request.statement(self.client.direct.org_id) for request in requests]
            started = [start for one in statements for start in start_statements.execute_start_sync(connection, one)]
            runs = [
                self.client.run_of(start, request.read, known=False)
                for start, request in zip(started, requests, strict=True)
            ]
        handles = [SyncRun[Any](self, run) for run in runs]
        return handles if many else handles[0]

    @shows_options(ManyOptions)
    def start_many(
        self, task: Task[..., R] | str, items: Iterable[object], /, **options: Unpack[ManyOptions]
    ) -> SyncRuns[R]:
        """Start a task, passed as a task or by its name, once per item. Either all runs are started or none; over HTTP,
        this holds for each request of up to 10,000 runs or 60 MB. An item that is a tuple contains the positional
        arguments, a dict contains the arguments by name, and any other item is the only argument. `dedupe_keys`: one
        key per item."""
        task = named_task(self.client.app, task) if isinstance(task, str) else task
        connection: object = options.pop("connection", task.start_options.get("connection"))
        many = build_many(task, items, options)
        if connection is None:
            return SyncRuns(self, self.wait_for(self.client.start_bulk(task, many)))
        statements = many.statements(self.client.direct.org_id)
        started = [start for one in statements for start in start_statements.execute_start_sync(connection, one)]
        return SyncRuns(self, self.client.runs_of(task, many, started, known=False))

    @shows_options(OpenOptions)
    def open_run(
        self, name: str | None = None, *, input: object = None, **options: Unpack[OpenOptions]
    ) -> SyncRun[Any]:
        """Open a run without tasks. `run.add(task, …)` adds tasks to it; it ends after `run.close()`."""
        connection = options.pop("connection", None)
        run = open_options({"name": name, **options}, input)
        if connection is None:
            return SyncRun(self, self.wait_for(self.client.open_with(run)))
        statement = start_statements.open_run(org_id=self.client.direct.org_id, run=json.dumps(run))
        (started,) = start_statements.execute_start_sync(connection, statement)
        return SyncRun(self, self.client.run_of(started, known=False))

    @shows_options(StartOptions)
    def start_statement(
        self, task: AnyTask | str, /, *args: object, **kwargs: object
    ) -> start_statements.StartStatement:
        """Return a start as SQL and parameters, to execute with any driver in your own transaction."""
        request = build_start(self.client.app, task, args, kwargs)
        return start_statements.to_execute(request.statement(self.client.direct.org_id))

    def graph(self, name: str | None = None) -> Graph:
        """Return an empty graph; `tn.start(graph)` starts it."""
        return Graph(name)

    def run(self, id: UUID | str) -> SyncRun[Any]:
        """Return a handle for the run with this id; its result is plain JSON."""
        return SyncRun(self, self.client.run(id))

    def find(
        self,
        task: Task[..., R] | str | None = None,
        /,
        *,
        name: str | None = None,
        dedupe_key: str | None = None,
        external_id: str | None = None,
    ) -> SyncRun[R] | None:
        """Return the run of a task with this dedupe key, or None if there is no such run. For the run of a named graph,
        pass `name` instead of a task. With `external_id` instead of a dedupe key, return the newest run that has a task
        with this id in another system."""
        found = self.wait_for(self.client.find(task, name=name, dedupe_key=dedupe_key, external_id=external_id))
        return SyncRun(self, found) if found else None

    @property
    def runs(self) -> SyncRunCollection:
        """The runs: `tn.runs(status="failed")` lists them, `tn.runs.retry(type="shop.charge")` retries failed runs."""
        return SyncRunCollection(self)

    def purge_queue(self, queue: str, *, reason: str | None = None, dry_run: bool = False) -> list[UUID]:
        """Cancel the tasks of a queue that wait to start or to be retried, and return their ids. `dry_run`: only return
        the ids."""
        return self.wait_for(self.client.purge_queue(queue, reason=reason, dry_run=dry_run))

    def signal(self, run: "SyncRun[Any] | UUID | str", name: str, value: object = None) -> None:
        """Send a signal to a run. A task receives it with `ctx.wait(name)`, even if it only starts waiting later."""
        self.wait_for(self.client.signal(run.id if isinstance(run, SyncRun) else run, name, value))

    def cancel(self, run: "SyncRun[Any] | UUID | str", reason: str | None = None) -> None:
        """Cancel a run and all its tasks, including child tasks."""
        self.wait_for(self.client.cancel(run.id if isinstance(run, SyncRun) else run, reason))


@contextmanager
def connect_sync(
    app: "App | None" = None, url: str | None = None, *, org: str | None = None, key: str | None = None
) -> Generator[SyncClient]:
    """Connect a client for synchronous code, and close it at the end of the block."""
    client = open_sync(app, url, org=org, key=key)
    try:
        _ = client.client
        yield client
    finally:
        client.close()


def open_sync(
    app: "App | None" = None, url: str | None = None, *, org: str | None = None, key: str | None = None
) -> SyncClient:
    """Return a client that connects on first use, so that a module can create it while it is imported. It is closed at
    exit."""
    return SyncClient(app, url, org=org, key=key)


@atexit.register
def _close_at_exit() -> None:
    for client in list(_open_clients):
        with suppress(Exception):  # the process ends anyway
            client.close_at_exit()
