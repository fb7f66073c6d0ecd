"""The interface between a worker and Tenuto, implemented over SQL and over HTTP. The other modules of the worker do not
depend on which of the two is used."""

from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import AbstractAsyncContextManager
from importlib import import_module
from typing import Any, Protocol
from uuid import UUID

from tenuto.db.connection.errors import DatabaseProblem, RowRejected
from tenuto.model.bundles import BundleFile
from tenuto.model.errors import TenutoError
from tenuto.model.json import JsonObject
from tenuto.model.tasks import Fences, HeartbeatResult, ProgressResult, ReportResult, Route, Row, Unclaimable
from tenuto.model.workers import Session, Wakeup
from tenuto.sdk.app import App
from tenuto.worker.backends.attempt_api import AttemptApis
from tenuto.worker.process.session import WorkerSession
from tenuto.worker.settings import WorkerSettings

# Errors with which the database rejects one call or row. Other calls and rows are not affected.
REJECTED = (TenutoError, RowRejected)
ALL_CLAIMS = 2**53  # larger than the number of any claim; larger integers are not exact in JSON


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
        """Complete these tasks and claim up to `limit` more. Rows have the columns of `ClaimedRow`; for a rejected
        report, the row has the reason in `result`."""
        ...

    def complete(self, task_id: str, attempt: int, output: str | None) -> str: ...

    def postpone_unclaimable(self, limit: int) -> list[Unclaimable]:
        """Postpone the tasks whose claim raises an error; return them with their errors."""
        ...

    def fold_and_wake_runs(self, run_ids: Collection[str]) -> None: ...

    def listen(self, heard: Callable[[str], None]) -> WakeupSource | None:
        """Call `heard` with the queue of each wake-up that arrives on this connection. Returns None if the connection
        cannot receive wake-ups."""
        ...

    def traffic(self) -> tuple[int, int] | None:
        """Return how many bytes were sent and received so far; None if this is not known. Called from other threads."""
        ...

    def cut(self) -> None:
        """Abort a call in progress, which then raises an error. Called from other threads."""
        ...

    def close(self) -> None: ...


class Backend(Protocol):
    """All calls of a worker, except those of claimers (`ClaimChannel`) and of running attempts (`AttemptApis`). They
    raise Unreachable during an outage, the error of the SQL function if it rejects a call, and RowRejected if a row
    causes an error in the database."""

    def open_channel(self) -> ClaimChannel: ...

    def open_apis(self, session: WorkerSession) -> AttemptApis:
        """Return the APIs for running attempts."""
        ...

    def listen(self) -> AsyncIterator[Wakeup]:
        """Yield wake-ups forever. Used if the claim channels cannot receive wake-ups."""
        ...

    async def register_worker(self, *, address: str, metadata: dict[str, Any]) -> Session: ...

    async def close_session(self, session: Session) -> None: ...

    async def heartbeat(
        self,
        held: Fences,
        *,
        settled: int | None,
        metrics: JsonObject | None = None,
        logs: list[JsonObject] | None = None,
    ) -> HeartbeatResult: ...

    async def declare_types(
        self, session: Session, types: dict[str, dict[str, Any]], schemas: dict[str, JsonObject]
    ) -> dict[str, str]:
        """Return the types whose schema was refused, with the reason."""
        ...

    async def resolve_routes(self, session: Session, *, queues: list[str] | None, types: list[str]) -> list[Route]: ...

    async def check_resource_group(self, session: Session) -> None:
        """Raise NotFound if the worker is to claim from a resource group that does not exist."""
        ...

    async def put_schedules(self, app: App) -> None: ...

    async def complete_tasks(
        self, fences: Fences, outputs: list[Any], published: Sequence[list[JsonObject] | None] | None
    ) -> list[ReportResult]:
        """Report tasks as completed. `published`: for each attempt, the publications of a job's task, or None if it has
        none."""
        ...

    async def fail_tasks(
        self, fences: Fences, errors: list[dict[str, Any]], retries: list[float | None]
    ) -> list[ReportResult]: ...

    async def lose_tasks(self, fences: Fences, errors: list[dict[str, Any]]) -> list[ReportResult]: ...

    async def snooze_tasks(self, fences: Fences, seconds: list[float]) -> list[ReportResult]: ...

    async def wait_tasks(self, fences: Fences, waits: list[dict[str, Any]]) -> list[ReportResult]: ...

    async def block_tasks(
        self, fences: Fences, mismatches: list[dict[str, Any]], versions: list[str | None]
    ) -> list[ReportResult]: ...

    async def interrupt_tasks(self, fences: Fences) -> list[ReportResult]: ...

    async def begin_tasks(self, fences: Fences) -> None: ...

    async def report_progress(
        self, fences: Fences, progress: list[float | None], messages: list[str | None]
    ) -> list[ProgressResult]: ...

    async def write_logs(self, session: Session, lines: list[dict[str, Any]]) -> None: ...

    async def fold_and_wake_runs(self, run_ids: list[UUID]) -> None: ...

    async def list_bundle_types(self) -> list[str]: ...

    async def find_bundle(self, type: str, sha256: str | None) -> BundleFile: ...

    async def get_bundle_part(self, sha256: str, no: int) -> bytes | None:
        """Return the part with this number; None after the last part."""
        ...

    async def wait_for_other_functions(self) -> DatabaseProblem:
        """Wait until the installed SQL functions no longer match this code; return an error that says what to do."""
        ...


async def give_everything_back(backend: Backend, session: Session) -> None:
    """Give back all attempts of the session without counting them as lost, then close the session. Closing it without
    giving them back would count them as lost."""
    await backend.heartbeat(Fences(session, [], []), settled=ALL_CLAIMS)
    await backend.close_session(session)


def import_backend(*, remote: bool) -> None:
    """Import the modules of the backend that will probably be opened."""
    import_module("tenuto.worker.backends.http" if remote else "tenuto.worker.backends.sql")


def open_backend(settings: WorkerSettings) -> AbstractAsyncContextManager[Backend]:
    """Open the backend that the settings ask for."""
    if settings.key:
        from tenuto.worker.backends.http import open_remote

        return open_remote(settings)
    from tenuto.worker.backends.sql import open_direct

    return open_direct(settings)
