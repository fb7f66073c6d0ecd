"""Opening a session, knowing the routes, and watching the lease."""

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
ALL_CLAIMS = 2**53  # the highest that JSON carries exactly
SHORT_SESSION_SECONDS = 5.0  # a session that was replaced so soon has a rival of the same name
RESOLVE_EVERY_SECONDS = 1.0
LATE_SECONDS = 0.2
MAX_LATE_LOOKS = 10  # a loop that is always late must still stop what it lost

T = TypeVar("T")


class Registration:
    """This process as the kernel knows it."""

    def __init__(
        self, kernel: Caller, settings: WorkerSettings, app: App, session: WorkerSession, *, lost: Callable[[], None]
    ):
        self._kernel, self._settings, self._app, self.session, self._lost = kernel, settings, app, session, lost
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._late = 0  # times in a row
        self._opened = -SHORT_SESSION_SECONDS
        self._looking: asyncio.TimerHandle | None = None
        self._resolved = 0.0
        self._newest_route = 0

    async def open(self) -> None:
        """A new session, for as long as it takes to get one."""
        settings = self._settings
        if lease_time() - self._opened < SHORT_SESSION_SECONDS:
            log.error("another worker registers as %s too: names must differ", settings.name)
            await asyncio.sleep(SHORT_SESSION_SECONDS)
        asked, opened = await self._insist(
            workers.register_worker,
            org_id=UUID(settings.org_id),
            worker_id=settings.name,
            labels=settings.labels,
            address=socket.gethostname(),
            metadata=_metadata(settings, self._app),
            lease=timedelta(seconds=settings.lease),
        )
        self._opened = asked
        self.session.opened(opened.session_id, opened.token)
        self.renewed(asked)

    async def _insist(self, function: Callable[..., Awaitable[T]], **params: Any) -> tuple[float, T]:
        """What the database answers, however long it is away, and when that was asked."""
        backoff = Backoff(MAX_PAUSE_SECONDS)
        while True:
            asked = lease_time()
            try:
                found = await self._kernel.call(function, **params)
            except TenutoError:
                self.session.absence.found(self)
                raise  # it answered: what was said is wrong
            except Exception as problem:  # away, or not yet what it should be: a standby, an older schema
                self.session.absence.lost(self, problem)
                await asyncio.sleep(backoff.after(problem))
            else:
                self.session.absence.found(self)
                return asked, found

    async def resolve(self) -> dict[int, Task[..., Any]]:
        """The routes that this process serves: its app's types, in its queues."""
        self._resolved = time.monotonic()
        tasks = self._app.tasks
        queues = self._settings.queues
        if queues is None:
            for queue in {task.declared.queue for task in tasks.values()}:
                types = [name for name, task in tasks.items() if task.declared.queue == queue]
                await self._ask(queues=[queue], types=types)  # makes routes known that nothing was started on yet
        found = await self._ask(queues=queues, types=list(tasks))
        return {route.route_id: tasks[route.type] for route in found}

    async def introduce(self) -> None:
        """Says what its types are like, and claims nothing: a resource group that is not there is refused."""
        fence = {"session_id": self.session.id, "token": UUID(self.session.token)}
        for some in batches([*declare(_own_tasks(self._app)).items()]):
            await self._insist(runs.declare_types, **fence, types=dict(some))
        group = self._settings.resource_group
        await self._insist(attempts.claim_tasks, **fence, claim_no=0, routes=[], limit=1, group=group)

    async def _ask(self, *, queues: list[str] | None, types: list[str]) -> list[Any]:
        session = self.session.id
        return (await self._insist(attempts.resolve_routes, session_id=session, queues=queues, types=types))[1]

    def look_soon(self, look: Callable[[], object]) -> None:
        """After a wake-up, which may be of a new route: call this at once or within a second, once for many."""
        if self._looking is None:
            wait = self._resolved + RESOLVE_EVERY_SECONDS - time.monotonic()
            self._looking = self._loop.call_later(max(0.0, wait), self._look, look)

    def _look(self, look: Callable[[], object]) -> None:
        self._looking = None
        look()

    def saw(self, newest_route: int) -> bool:
        """Whether there are routes that this process has not seen."""
        new, self._newest_route = newest_route > self._newest_route, newest_route
        return new

    def renewed(self, at: float) -> None:
        """The lease counts from the moment the renewal was asked for, on this machine's own clock."""
        self._late = 0
        lease = self._settings.lease
        ends = at + lease - max(0.5, lease / 10)
        self._watch(
            max(lease_time() + LATE_SECONDS, ends)
        )  # the answer to an old beat may be read just before a newer one

    def _watch(self, ends: float) -> None:
        if self._timer:
            self._timer.cancel()
        # Not the loop's clock: it stands still with the machine, and uvloop reads it before it waits for a held
        # interpreter, and would call itself punctual.
        left = max(0.0, ends - lease_time())
        self._timer = self._loop.call_later(min(left, LOOK_EVERY), self._look_at_lease, ends)

    def _look_at_lease(self, ends: float) -> None:
        late = lease_time() - ends
        if late < 0:
            self._watch(ends)
            return
        if late > LATE_SECONDS and self._late < MAX_LATE_LOOKS:
            self._late += 1
            self._watch(lease_time() + LATE_SECONDS)  # this process was held up: a renewal may lie here unread
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
                # What could not be reported goes back at no charge; a session that just ends charges it.
                await self._kernel.call(attempts.heartbeat, **fence, task_ids=[], attempts=[], settled=ALL_CLAIMS)
                await self._kernel.call(workers.close_session, **fence)
        except (Unreachable, TenutoError, TimeoutError) as problem:
            log.warning("the session could not be closed (%s): it ends with its lease", problem)


def _own_tasks(app: App) -> dict[str, Task[..., Any]]:
    return {name: task for name, task in app.tasks.items() if not isinstance(task, BundleTask)}


def _metadata(settings: WorkerSettings, app: App) -> dict[str, Any]:
    """What people see of it; `tenuto why` reads what it serves."""
    serves = {"queues": settings.queues, "types": sorted(_own_tasks(app)), "resource_group": settings.resource_group}
    known = {"pool": settings.pool, "concurrency": settings.concurrency, "target": settings.target}
    known |= {"bundles": settings.bundles or None, "sandbox": settings.sandbox}
    return {**{key: value for key, value in known.items() if value is not None}, **serves}
