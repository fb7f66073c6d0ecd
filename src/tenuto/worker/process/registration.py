"""Opens the worker session, resolves routes and watches the lease."""

import asyncio
import logging
import socket
import time
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any, TypeVar
from uuid import UUID

from tenuto.db import attempts, runs, workers
from tenuto.db.connection.availability import Backoff
from tenuto.db.connection.errors import Unreachable
from tenuto.model.errors import TenutoError
from tenuto.sdk.app import App
from tenuto.sdk.task import Task
from tenuto.sdk.task_reference import declare
from tenuto.worker.backends.base import Caller
from tenuto.worker.backends.http_connection import batches
from tenuto.worker.execution.bundles import BundleTask
from tenuto.worker.process.session import WorkerSession
from tenuto.worker.settings import WorkerSettings
from tenuto.worker.supervisor.lease_clock import LOOK_EVERY, lease_time

log = logging.getLogger("tenuto.worker")

MAX_PAUSE_SECONDS = 5.0
ALL_CLAIMS = 2**53  # the largest integer that JSON represents exactly
SHORT_SESSION_SECONDS = 5.0  # a session replaced this soon means that another worker has the same name
RESOLVE_EVERY_SECONDS = 1.0
LATE_SECONDS = 0.2
MAX_LATE_LOOKS = 10  # a loop that is always late must still stop the attempts it lost

T = TypeVar("T")


class Registration:
    """The registration of this process as a worker: its session, routes and lease."""

    def __init__(
        self, backend: Caller, settings: WorkerSettings, app: App, session: WorkerSession, *, lost: Callable[[], None]
    ):
        self._backend, self._settings, self._app, self.session, self._lost = backend, settings, app, session, lost
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._late = 0  # late checks in a row
        self._opened = -SHORT_SESSION_SECONDS
        self._looking: asyncio.TimerHandle | None = None
        self._resolved = 0.0
        self._newest_route = 0

    async def open(self) -> None:
        """Open a new session; wait out any outage."""
        settings = self._settings
        if lease_time() - self._opened < SHORT_SESSION_SECONDS:
            log.error("another worker registers as %s too: names must differ", settings.name)
            await asyncio.sleep(SHORT_SESSION_SECONDS)
        sent_at, opened = await self._insist(
            workers.register_worker,
            org_id=UUID(settings.org_id),
            worker_id=settings.name,
            labels=settings.labels,
            address=socket.gethostname(),
            metadata=_metadata(settings, self._app),
            lease=timedelta(seconds=settings.lease),
        )
        self._opened = sent_at
        self.session.opened(opened.session_id, opened.token)
        self.renewed(sent_at)

    async def _insist(self, function: Callable[..., Awaitable[T]], **params: Any) -> tuple[float, T]:
        """Call the backend and wait out outages. Return when the successful call was made, and its result."""
        backoff = Backoff(MAX_PAUSE_SECONDS)
        while True:
            sent_at = lease_time()
            try:
                result = await self._backend.call(function, **params)
            except TenutoError:
                self.session.outage_log.found(self)
                raise  # the database responded: the request is invalid
            except Exception as problem:  # unreachable, or not ready: a standby, an older schema
                self.session.outage_log.lost(self, problem)
                await asyncio.sleep(backoff.after(problem))
            else:
                self.session.outage_log.found(self)
                return sent_at, result

    async def resolve(self) -> dict[int, Task[..., Any]]:
        """Return the routes that this process serves: the types of its app, in its queues."""
        self._resolved = time.monotonic()
        tasks = self._app.tasks
        queues = self._settings.queues
        if queues is None:
            for queue in {task.declared.queue for task in tasks.values()}:
                types = [name for name, task in tasks.items() if task.declared.queue == queue]
                await self._ask(queues=[queue], types=types)  # creates routes that no task was started on yet
        routes = await self._ask(queues=queues, types=list(tasks))
        return {route.route_id: tasks[route.type] for route in routes}

    async def introduce(self) -> None:
        """Declare the options of its task types, and check that the resource group exists."""
        fence = {"session_id": self.session.id, "token": UUID(self.session.token)}
        for some in batches([*declare(_own_tasks(self._app)).items()]):
            await self._insist(runs.declare_types, **fence, types=dict(some))
        group = self._settings.resource_group
        await self._insist(attempts.claim_tasks, **fence, claim_no=0, routes=[], limit=1, group=group)

    async def _ask(self, *, queues: list[str] | None, types: list[str]) -> list[Any]:
        session = self.session.id
        return (await self._insist(attempts.resolve_routes, session_id=session, queues=queues, types=types))[1]

    def look_soon(self, look: Callable[[], object]) -> None:
        """Call `look` at once, or within a second if routes were resolved recently; several requests are combined. Used
        after a wake-up, which may be for a new route."""
        if self._looking is None:
            wait = self._resolved + RESOLVE_EVERY_SECONDS - time.monotonic()
            self._looking = self._loop.call_later(max(0.0, wait), self._look, look)

    def _look(self, look: Callable[[], object]) -> None:
        self._looking = None
        look()

    def saw(self, newest_route: int) -> bool:
        """Whether there are routes that this process has not seen yet."""
        new, self._newest_route = newest_route > self._newest_route, newest_route
        return new

    def renewed(self, at: float) -> None:
        """Extend the lease, counted from when the renewal was requested, on the clock of this machine."""
        self._late = 0
        lease = self._settings.lease
        ends = at + lease - max(0.5, lease / 10)
        # The response to an old heartbeat may be read just before a newer one.
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
        log.error("the lease cannot be renewed: everything held here stops now, before others may take it")
        self.session.open.clear()
        self._lost()

    async def close(self) -> None:
        if self._timer:
            self._timer.cancel()
        try:
            async with asyncio.timeout(5):
                fence = {"session_id": self.session.id, "token": UUID(self.session.token)}
                # Attempts that could not be reported are given back without counting as lost; ending the session would
                # count them.
                await self._backend.call(attempts.heartbeat, **fence, task_ids=[], attempts=[], settled=ALL_CLAIMS)
                await self._backend.call(workers.close_session, **fence)
        except (Unreachable, TenutoError, TimeoutError) as problem:
            log.warning("the session could not be closed (%s): it ends with its lease", problem)


def _own_tasks(app: App) -> dict[str, Task[..., Any]]:
    return {name: task for name, task in app.tasks.items() if not isinstance(task, BundleTask)}


def _metadata(settings: WorkerSettings, app: App) -> dict[str, Any]:
    """Return metadata for the dashboard and `tenuto why`: what this worker serves."""
    serves = {"queues": settings.queues, "types": sorted(_own_tasks(app)), "resource_group": settings.resource_group}
    known = {"pool": settings.pool, "concurrency": settings.concurrency, "target": settings.target}
    known |= {"bundles": settings.bundles or None, "sandbox": settings.sandbox}
    return {**{key: value for key, value in known.items() if value is not None}, **serves}
