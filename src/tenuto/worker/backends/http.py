"""The HTTP backend: for workers that have a worker key for a server but no access to its database."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, Concatenate, ParamSpec, TypeVar

from tenuto.db.connection.availability import Backoff
from tenuto.db.connection.call import Conn
from tenuto.db.connection.errors import DatabaseProblem, Unreachable
from tenuto.db.connection.listener import Wakeup
from tenuto.model.errors import TenutoError
from tenuto.sdk.app import App
from tenuto.worker.backends.http_calls import CALLS, HttpSession
from tenuto.worker.backends.http_claims import HttpClaimChannel
from tenuto.worker.backends.http_connection import HttpClient, ServerAddress
from tenuto.worker.backends.http_ports import HttpAttemptApis
from tenuto.worker.process.session import WorkerSession
from tenuto.worker.settings import WorkerSettings

WAIT_SECONDS = 20.0  # duration of one long poll; proxies close connections that are silent for longer
COALESCE_SECONDS = 0.02  # under load, one wake-up stands for many
MAX_PAUSE_SECONDS = 5.0

P = ParamSpec("P")
T = TypeVar("T")


class HttpBackend:
    """Sends the calls of a worker to one server, with one worker key."""

    def __init__(self, web: HttpClient, settings: WorkerSettings) -> None:
        self._web, self._settings = web, settings
        self._asking = HttpSession(web, settings)

    async def call(
        self, function: Callable[Concatenate[Conn, P], Awaitable[T]], *args: P.args, **params: P.kwargs
    ) -> T:
        """Send the request that corresponds to a wrapper function."""
        answer: Any = await CALLS[function.__name__](self._asking, *args, **params)
        return answer

    def open_channel(self) -> HttpClaimChannel:
        return HttpClaimChannel(self._web.site, self._asking.types, self._settings.resource_group)

    def open_ports(self, session: WorkerSession) -> HttpAttemptApis:
        return HttpAttemptApis(self._web, session)

    async def listen(self) -> AsyncIterator[Wakeup]:
        """Repeat long polls; the cursor makes the server report what happened between two of them."""
        backoff, cursor = Backoff(MAX_PAUSE_SECONDS), None
        while True:
            await asyncio.sleep(COALESCE_SECONDS)
            try:
                news = await self._wait(cursor)
            except (Unreachable, TenutoError) as problem:  # claims and heartbeats report the problem
                cursor = None
                await asyncio.sleep(backoff.after(problem))
                continue
            backoff.reset()
            cursor = news["cursor"]
            if news["heartbeat_now"]:
                yield Wakeup("!cancel")
            if news["work_available"]:
                yield Wakeup("*")

    async def _wait(self, cursor: str | None) -> Any:
        body: dict[str, Any] = {"wait": WAIT_SECONDS}
        if cursor:
            body["cursor"] = cursor
        if self._settings.queues:
            body["queues"] = self._settings.queues
        return await self._web.ask("POST", "/internal/wait", body, timeout=2 * WAIT_SECONDS)

    async def put_schedules(self, app: App) -> None:
        """Declare the schedules of the queues that the worker key may serve."""
        queues = self._asking.queues
        served = {name for name, task in app.tasks.items() if queues is None or task.declared.queue in queues}
        schedules = []
        for task in app.schedules():
            if task.name not in served:
                continue
            options, limits = task.declared, task.limits_of((), {})
            times = {"cron": options.cron or "", "timezone": options.timezone, "catch_up": options.catch_up}
            details = {"details": {"limits": limits}} if limits else {}
            schedules.append(
                {"name": task.name, "kind": task.kind(), **times, "jitter_seconds": options.jitter, **details}
            )
        options = {"types": sorted(served), "schedules": schedules}
        await self._web.ask("PUT", "/internal/schedules", options, let_in=False)

    async def wait_for_other_functions(self) -> DatabaseProblem:
        """Never returns: the server checks its functions, and its API is stable."""
        return await asyncio.get_running_loop().create_future()


@asynccontextmanager
async def open_remote(settings: WorkerSettings) -> AsyncIterator[HttpBackend]:
    logging.getLogger("httpx2").setLevel(logging.WARNING)  # httpx logs a line per request
    web = HttpClient(ServerAddress(settings.url, settings.key or "", settings.proxy))
    try:
        yield HttpBackend(web, settings)
    finally:
        await web.close()
