"""Keeps processes ready for queries, so that a small query does not wait until a process is built."""

import asyncio
import logging
from collections import deque
from collections.abc import AsyncGenerator, Awaitable
from contextlib import asynccontextmanager, suppress
from importlib.util import find_spec
from urllib.parse import unquote, urlsplit
from uuid import UUID

from tenuto.model.errors import Conflict
from tenuto.query.limits import LIMITS, QueryLimits
from tenuto.query.process import PROGRAM, QueryProcess, start_process
from tenuto.query.slots import QuerySlots
from tenuto.runtimes.sandbox.capabilities import SandboxCapabilities, SandboxUnavailable, find_capabilities
from tenuto.runtimes.sandbox.runtime import CannotBuild
from tenuto.runtimes.sandbox.template_client import SandboxTemplate
from tenuto.runtimes.sandbox.uids import NoUidAvailable

IDLE_SECONDS = 600.0  # after the last query, until the spare processes are ended
NEEDED = ("duckdb", "pyarrow")

log = logging.getLogger("tenuto.query")

_capabilities: dict[bool, SandboxCapabilities] = {}  # of this machine, by whether a weak sandbox is allowed


class QueriesUnavailable(Conflict):
    """This machine cannot run queries; the message says what is missing."""


class ProcessPool:
    """Spare processes, which are started when the first query runs. At most `running` queries run at a time; others
    wait."""

    def __init__(
        self,
        *,
        weak: bool = False,
        spares: int = 2,
        running: int = 4,
        limits: QueryLimits = LIMITS,
        hidden: tuple[str, ...] = (),
    ) -> None:
        self.limits, self.max_running = limits, running
        self._weak, self._count, self._hidden = weak, spares, hidden
        self._spares: deque[QueryProcess] = deque()
        self._building: set[asyncio.Task[None]] = set()
        self._slots = QuerySlots(running)
        self._idle: asyncio.TimerHandle | None = None
        self._template: SandboxTemplate | None = None
        self._turn = asyncio.Lock()
        self._running = 0
        self._closed = False

    @asynccontextmanager
    async def process(self, org_id: UUID) -> AsyncGenerator[QueryProcess]:
        """Yield a process for a query of an org, and end it afterwards. Raises QueriesUnavailable if no process can be
        started."""
        async with self._slots.take(org_id):
            self._running += 1
            try:
                process = await self._take()
                try:
                    yield process
                finally:
                    await asyncio.shield(asyncio.ensure_future(process.end()))
            finally:
                self._running -= 1

    async def close(self) -> None:
        """End the spare processes and the template process."""
        self._closed = True
        if self._idle is not None:
            self._idle.cancel()
        await asyncio.gather(*self._building, return_exceptions=True)  # cancelling a start would leave a process
        await self._rest()

    async def _take(self) -> QueryProcess:
        self._rest_when_idle()
        process: QueryProcess | None = None
        while self._spares and process is None:
            spare = self._spares.popleft()
            if spare.is_alive:
                process = spare
            else:
                await spare.end()
        if process is None:
            process = await self._start_shielded()
        self._refill()
        return process

    async def _start_shielded(self) -> QueryProcess:
        starting = asyncio.create_task(self._start())
        try:
            return await asyncio.shield(starting)
        except asyncio.CancelledError:  # the client is gone: the start continues, for another query
            self._keep(starting)
            raise
        except (CannotBuild, NoUidAvailable, OSError) as error:
            log.exception("no process for a query can be started")
            raise QueriesUnavailable(
                f"no process for the query can be started: {error}", "see the server's log"
            ) from error

    async def _find_capabilities(self) -> SandboxCapabilities:
        capabilities = _capabilities.get(self._weak)
        if capabilities is None:
            if missing := [name for name in NEEDED if find_spec(name) is None]:
                raise QueriesUnavailable(
                    f"queries need the package {missing[0]}, which is not installed here", "pip install 'tenuto[data]'"
                )
            try:
                capabilities = _capabilities[self._weak] = await find_capabilities(weak=self._weak)
            except SandboxUnavailable as problem:
                raise QueriesUnavailable(
                    f"queries are refused here, because their process cannot be confined fully: {problem}",
                    "run the server as root on Linux, or set TENUTO_QUERY_SANDBOX=weak if you trust every caller",
                ) from problem
            log.info("queries run in a %s", capabilities.describe())
        return capabilities

    async def _start(self) -> QueryProcess:
        async with self._turn:
            capabilities = await self._find_capabilities()
            if self._template is None or not self._template.is_alive:
                dead, template = self._template, SandboxTemplate(PROGRAM)
                await template.start()
                self._template = template
                if dead is not None:
                    await dead.close()
        return await start_process(self._template, capabilities, self.limits, self._hidden)

    def _refill(self) -> None:
        while len(self._spares) + len(self._building) < self._count and not self._closed:
            self._keep(self._start())

    def _keep(self, starting: Awaitable[QueryProcess]) -> None:
        """Add a process that is being started to the spare processes, once it is ready."""
        task = asyncio.create_task(self._build(starting))
        self._building.add(task)
        task.add_done_callback(self._building.discard)

    async def _build(self, starting: Awaitable[QueryProcess]) -> None:
        try:
            self._spares.append(await starting)
        except (CannotBuild, NoUidAvailable, QueriesUnavailable, OSError) as error:
            log.error("a process for queries cannot be started: %s", error)

    def _rest_when_idle(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
        loop = asyncio.get_running_loop()
        self._idle = loop.call_later(IDLE_SECONDS, lambda: asyncio.ensure_future(self._rest()))

    async def _rest(self) -> None:
        """End the spare processes. Also end the template process if no query runs or the pool is closed."""
        while self._spares:
            with suppress(OSError):
                await self._spares.popleft().end()
        if self._template is not None and (self._closed or not self._running):
            template, self._template = self._template, None
            await template.close()


def hidden_folders(storage: str) -> tuple[str, ...]:
    """Return the folders of this machine that no query process may see: the object store, if it is a folder."""
    parts = urlsplit(storage)
    return (unquote(parts.path),) if parts.scheme == "file" else ()
