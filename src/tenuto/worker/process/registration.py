"""Opens the worker session, resolves routes and watches the lease."""

import asyncio
import logging
import os
import socket
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from tenuto.db.connection.errors import Unreachable
from tenuto.model.json import JsonObject
from tenuto.model.task_types import FUNCTION_TYPES
from tenuto.model.tasks import Route
from tenuto.model.workers import Session
from tenuto.runtimes.local_processes import process_id, this_host
from tenuto.sdk.app import App
from tenuto.sdk.input_schema import input_schemas
from tenuto.sdk.task import Task
from tenuto.sdk.task_reference import declare
from tenuto.worker.backends.base import REJECTED, Backend, give_everything_back
from tenuto.worker.execution.bundles import BundleTask
from tenuto.worker.process.session import WorkerSession
from tenuto.worker.settings import WorkerSettings
from tenuto.worker.supervisor.lease_clock import LOOK_EVERY, lease_time
from tenuto.worker.supervisor.outage_log import wait_out

log = logging.getLogger("tenuto.worker")

SHORT_SESSION_SECONDS = 5.0  # a session replaced this soon means that another worker has the same name
RESOLVE_EVERY_SECONDS = 1.0
MAX_DECLARED_TYPES = 100  # per call, because a schema can have 16 kB and a request 2 MB
LATE_SECONDS = 0.2
NO_OPERATORS = App("none")  # of a worker that runs no jobs
MAX_LATE_LOOKS = 10  # an event loop that is always late must still stop the attempts that it has lost

T = TypeVar("T")


class Registration:
    """The registration of this process as a worker: its session, routes and lease."""

    def __init__(
        self,
        backend: Backend,
        settings: WorkerSettings,
        app: App,
        session: WorkerSession,
        operators: App,
        *,
        lost: Callable[[], None],  # called when the lease was lost
        resolve: Callable[[], None],  # called when routes should be resolved again
    ) -> None:
        self.queues: dict[int, str] = {}  # by route
        self._backend, self._settings, self._app, self._operators = backend, settings, app, operators
        self.session = session
        self._lost, self._resolve = lost, resolve
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._late = 0  # late checks in a row
        self._opened = -SHORT_SESSION_SECONDS
        self._resolving: asyncio.TimerHandle | None = None
        self._resolved = 0.0
        self._newest_route = 0

    async def open(self) -> None:
        """Open a new session. During an outage, repeat until it succeeds."""
        settings = self._settings
        if lease_time() - self._opened < SHORT_SESSION_SECONDS:
            log.error("another worker is registered as %s; give each worker its own name", settings.name)
            await asyncio.sleep(SHORT_SESSION_SECONDS)
        sent_at = 0.0
        # If a session was lost while its process was running, its lease alone decides about later ones: a copy of a
        # virtual machine, for example, looks like the same host but has other processes. For the machines of pools,
        # their provider knows whether they have ended, and why.
        process = _process() if self._opened < 0 and settings.machine is None else {}

        async def register() -> Session:
            nonlocal sent_at
            sent_at = lease_time()
            metadata = _metadata(settings, [*_own_tasks(self._app), *self._operators.tasks]) | process
            return await self._backend.register_worker(
                address=settings.address or socket.gethostname(), metadata=metadata
            )

        opened = await self._call_until_reached(register)
        self._opened = sent_at
        self.session.opened(opened)
        self.renewed(sent_at)

    async def _call_until_reached(self, call: Callable[[], Awaitable[T]]) -> T:
        """Repeat the call during an outage, and while the database is not ready, for example because it is a standby or
        has an older schema."""
        return await wait_out(call, self.session.outage_log, self, outage=Exception)

    async def resolve(self) -> dict[int, Task[..., Any]]:
        """Return the routes that this process serves, with the task of each. They are the routes in its queues whose
        type belongs to its app or its operators."""
        self._resolved = time.monotonic()
        tasks = self._app.tasks
        queues = self._settings.queues
        if queues is None:
            for queue in {task.declared.queue for task in tasks.values()}:
                types = [name for name, task in tasks.items() if task.declared.queue == queue]
                await self._ask(queues=[queue], types=types)  # creates routes on which no task was started yet
        tasks = {**tasks, **self._operators.tasks}
        routes = await self._ask(queues=queues, types=list(tasks))
        self.queues = {route.route_id: route.queue for route in routes}
        return {route.route_id: tasks[route.type] for route in routes}

    async def declare_app(self) -> None:
        """Store the schedules of the app, declare the options of its task types, and check that the resource group
        exists."""
        await self._backend.put_schedules(self._app)
        session = self.session.current
        tasks = _own_tasks(self._app)
        schemas = input_schemas(tasks)
        jobs: dict[str, JsonObject] = {f"{FUNCTION_TYPES}{name}": {} for name in self._app.job_functions}
        declared = [*declare(tasks).items(), *jobs.items()]
        for first in range(0, len(declared), MAX_DECLARED_TYPES):
            some = declared[first : first + MAX_DECLARED_TYPES]
            own = {name: schemas[name] for name, _ in some if name in schemas}
            refused = await self._call_until_reached(partial(self._backend.declare_types, session, dict(some), own))
            for name, problem in refused.items():
                log.warning("the server does not check inputs of %s: its schema was refused: %s", name, problem)
        await self._call_until_reached(partial(self._backend.check_resource_group, session))

    async def _ask(self, *, queues: list[str] | None, types: list[str]) -> list[Route]:
        return await self._call_until_reached(
            partial(self._backend.resolve_routes, self.session.current, queues=queues, types=types)
        )

    def resolve_soon(self) -> None:
        """Resolve routes at once. If they were resolved less than a second ago, wait until the second is over; further
        requests in this time are combined. Called after a wake-up, which may be for a new route."""
        if self._resolving is None:
            wait = self._resolved + RESOLVE_EVERY_SECONDS - time.monotonic()
            self._resolving = self._loop.call_later(max(0.0, wait), self._resolve_now)

    def _resolve_now(self) -> None:
        self._resolving = None
        self._resolve()

    def saw(self, newest_route: int) -> bool:
        """Record the newest route; return whether there are routes that this process has not seen yet."""
        new, self._newest_route = newest_route > self._newest_route, newest_route
        return new

    def renewed(self, at: float) -> None:
        """Extend the lease, counted from when the renewal was requested, on the clock of this machine."""
        self._late = 0
        lease = self._settings.lease
        ends = at + lease - max(0.5, lease / 10)
        # Leave time to read another response: this may be the response to an old heartbeat, and a newer one may follow.
        self._watch(max(lease_time() + LATE_SECONDS, ends))

    def _watch(self, ends: float) -> None:
        if self._timer:
            self._timer.cancel()
        # The loop's clock is unsuitable: it stops while the machine is suspended, and uvloop reads it before waiting
        # for the interpreter lock, so that a delay goes unnoticed.
        left = max(0.0, ends - lease_time())
        self._timer = self._loop.call_later(min(left, LOOK_EVERY), self._look_at_lease, ends)

    def _look_at_lease(self, ends: float) -> None:
        late = lease_time() - ends
        if late < 0:
            self._watch(ends)
            return
        if late > LATE_SECONDS and self._late < MAX_LATE_LOOKS:
            self._late += 1
            self._watch(lease_time() + LATE_SECONDS)  # this process was delayed: a renewal may be waiting to be read
            return
        log.error("the lease cannot be renewed; stopping all running tasks before other workers get them")
        self.session.open.clear()
        self._lost()

    async def close(self) -> None:
        if self._timer:
            self._timer.cancel()
        try:
            async with asyncio.timeout(5):
                await give_everything_back(self._backend, self.session.current)
        except (Unreachable, *REJECTED, TimeoutError) as problem:
            log.warning("the session could not be closed (%s); it ends when its lease expires", problem)


def _own_tasks(app: App) -> dict[str, Task[..., Any]]:
    return {name: task for name, task in app.tasks.items() if not isinstance(task, BundleTask)}


def _process() -> dict[str, Any]:
    """Return the processes without which this worker is dead: this one, which runs the tasks, and its supervisor."""
    ids = [process_id(os.getpid()), process_id(os.getppid())]
    return {"process": {"host": this_host(), "ids": ids}} if this_host() and all(ids) else {}


def _metadata(settings: WorkerSettings, types: list[str]) -> dict[str, Any]:
    """Return metadata for the dashboard and `tenuto why`: what this worker serves."""
    serves = {"queues": settings.queues, "types": sorted(types), "resource_group": settings.resource_group}
    known = {
        "pool": settings.pool,
        "machine": settings.machine,
        "concurrency": settings.concurrency,
        "targets": settings.targets,
        "folder": str(Path.cwd()),
    }
    known |= {"code_version": settings.code_version, "bundles": settings.bundles or None, "sandbox": settings.sandbox}
    return {**{key: value for key, value in known.items() if value is not None}, **serves}
