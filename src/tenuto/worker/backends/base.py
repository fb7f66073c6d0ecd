"""The interface between a worker and Tenuto, implemented over SQL and over HTTP. No other module of the worker depends
on which is used."""

from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import AbstractAsyncContextManager
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from tenuto.db.connection.call import Conn
from tenuto.db.connection.errors import DatabaseProblem
from tenuto.db.connection.listener import Wakeup
from tenuto.model.tasks import Row
from tenuto.sdk.app import App
from tenuto.worker.backends.ports import AttemptApis
from tenuto.worker.process.session import WorkerSession
from tenuto.worker.settings import WorkerSettings

P = ParamSpec("P")
T = TypeVar("T")


class Caller(Protocol):
    """Executes the wrapper functions of db/, directly or through the server."""

    async def call(
        self, function: Callable[Concatenate[Conn, P], Awaitable[T]], *args: P.args, **params: P.kwargs
    ) -> T: ...


class WakeupSource(Protocol):
    """Receives wake-ups on the connection of a claim channel."""

    def fileno(self) -> int:
        """Return the file descriptor that becomes readable when data arrives."""
        ...

    def hear(self) -> None:
        """Process the data that arrived."""
        ...


class ClaimChannel(Protocol):
    """The connection of a claimer's thread: sends a batch of reports and receives a batch of claims per call."""

    def serve(self, session_id: int, token: str, routes: list[int]) -> None:
        """Use this session and these routes from now on."""
        ...

    def exchange(
        self, ids: list[str], attempts: list[int], outputs: list[str | None] | None, *, claim_no: int, limit: int
    ) -> list[Row]:
        """Complete these tasks and claim up to `limit` more. Rows have the columns of `Row`; a rejected report comes
        back as a row with its answer."""
        ...

    def complete(self, task_id: str, attempt: int, output: str | None) -> str: ...

    def nudge(self, run_ids: Collection[str]) -> None: ...

    def listen(self, heard: Callable[[str], None]) -> WakeupSource | None:
        """Call `heard` with the queue of each wake-up that arrives on this connection. Returns None if it cannot
        receive any."""
        ...

    def traffic(self) -> tuple[int, int] | None:
        """Return the bytes sent and received so far, None if unknown. Called from other threads."""
        ...

    def cut(self) -> None:
        """Abort a call in progress, which then raises an error. Called from other threads."""
        ...

    def close(self) -> None: ...


class Backend(Caller, Protocol):
    """All operations that a worker process needs."""

    def open_channel(self) -> ClaimChannel: ...

    def open_ports(self, session: WorkerSession) -> AttemptApis:
        """Return the APIs for running attempts."""
        ...

    def listen(self) -> AsyncIterator[Wakeup]:
        """Yield wake-ups forever, for claim channels that cannot receive them."""
        ...

    async def put_schedules(self, app: App) -> None: ...

    async def wait_for_other_functions(self) -> DatabaseProblem:
        """Return once the installed SQL functions no longer match this code, with an error that says what to do."""
        ...


def open_backend(settings: WorkerSettings) -> AbstractAsyncContextManager[Backend]:
    """Open the backend that the settings ask for."""
    if settings.key:
        from tenuto.worker.backends.http import open_remote

        return open_remote(settings)
    from tenuto.worker.backends.sql import open_direct

    return open_direct(settings)
