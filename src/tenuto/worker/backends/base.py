"""How a worker reaches the kernel: by SQL, or over HTTP from afar. Nothing else of a worker knows which."""

from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import AbstractAsyncContextManager
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from tenuto.db.connection.call import Conn
from tenuto.db.connection.claim_connection import Row
from tenuto.db.connection.errors import DatabaseProblem
from tenuto.db.connection.listener import Wakeup
from tenuto.sdk.app import App
from tenuto.worker.backends.ports import AttemptApis
from tenuto.worker.process.session import WorkerSession
from tenuto.worker.settings import WorkerSettings

P = ParamSpec("P")
T = TypeVar("T")


class Caller(Protocol):
    """Carries a question to the kernel; the wrappers of db/ say what can be asked, whoever carries it."""

    async def call(
        self, function: Callable[Concatenate[Conn, P], Awaitable[T]], *args: P.args, **params: P.kwargs
    ) -> T: ...


class WakeupSource(Protocol):
    """What hears, between the questions of its line."""

    def fileno(self) -> int:
        """Something came in when this can be read."""
        ...

    def hear(self) -> None:
        """Take in what came."""
        ...


class ClaimChannel(Protocol):
    """What a lane's thread asks through: a batch of reports out, a batch of claims in, nothing between them."""

    def serve(self, session_id: int, token: str, routes: list[int]) -> None:
        """For this session, of these routes, from now on."""
        ...

    def exchange(
        self, ids: list[str], attempts: list[int], outputs: list[str | None] | None, *, claim_no: int, limit: int
    ) -> list[Row]:
        """Complete these, claim up to `limit` more; rows are as `hot.Claimed`, refused reports have an answer."""
        ...

    def complete(self, task_id: str, attempt: int, output: str | None) -> str: ...

    def nudge(self, run_ids: Collection[str]) -> None: ...

    def listen(self, heard: Callable[[str], None]) -> WakeupSource | None:
        """Hear wake-ups on this line, each as its queue, whenever it is read. None: it cannot."""
        ...

    def traffic(self) -> tuple[int, int] | None:
        """From another thread: bytes sent and received so far; None: nobody knows."""
        ...

    def cut(self) -> None:
        """From another thread: whoever waits for an answer gets an error."""
        ...

    def close(self) -> None: ...


class Backend(Caller, Protocol):
    """The whole way of a worker process."""

    def open_line(self) -> ClaimChannel: ...

    def open_ports(self, session: WorkerSession) -> AttemptApis:
        """For what running attempts ask."""
        ...

    def listen(self) -> AsyncIterator[Wakeup]:
        """Wake-ups without end, where no line can hear them."""
        ...

    async def put_schedules(self, app: App) -> None: ...

    async def wait_for_other_functions(self) -> DatabaseProblem:
        """Return once the kernel is no longer the one that this code was made for, with what to do."""
        ...


def open_kernel(settings: WorkerSettings) -> AbstractAsyncContextManager[Backend]:
    """As the settings say."""
    if settings.key:
        from tenuto.worker.backends.http import open_remote

        return open_remote(settings)
    from tenuto.worker.backends.sql import open_direct

    return open_direct(settings)
