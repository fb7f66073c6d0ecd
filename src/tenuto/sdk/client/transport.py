"""The interface between a client and Tenuto, implemented over SQL and over HTTP."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol
from uuid import UUID

from tenuto.model.audit import AuditEntry
from tenuto.model.bulk_runs import BulkPiece, PurgePiece, RunSelection
from tenuto.model.counts import Count
from tenuto.model.filters import AuditListFilter, RunListFilter, TaskListFilter
from tenuto.model.json import Json, JsonObject
from tenuto.model.monitoring import RunInput, RunResult, RunStatus, RunSummary, TaskSummary
from tenuto.model.run_data import AwaitedSignal, ObjectSummary
from tenuto.model.schedules import Schedule
from tenuto.model.tasks import Started
from tenuto.sdk.client.start_many import BulkStart
from tenuto.sdk.client.start_request import RunOptions, StartRequest

PAGE = 200


class Transport(Protocol):
    """The operations of a client, for one org."""

    poll_seconds: float  # how long `poll_runs` waits on the server at most; 0: not at all, and the caller pauses

    @property
    def problem(self) -> str | None:
        """Why the database or server is known to be unavailable now."""
        ...

    async def start(self, requests: Sequence[StartRequest]) -> list[Started]:
        """Start the requested runs in one transaction."""
        ...

    async def start_many(self, many: BulkStart) -> list[Started]:
        """Start the runs and return them, in order. The list is empty if all runs are new and have the ids of
        `many`."""
        ...

    async def open_run(self, run: RunOptions) -> Started: ...

    async def add_tasks(self, run_id: UUID, request: StartRequest) -> list[UUID]:
        """Add tasks to an open run and return their ids, in order."""
        ...

    async def close_run(self, run_id: UUID) -> None: ...

    async def release_run(self, run_id: UUID) -> bool:
        """Let a held run start. Return whether it was held."""
        ...

    async def poll_runs(self, run_ids: list[UUID], wait: float) -> list[RunResult]:
        """Return the results of the runs among these that have ended."""
        ...

    async def get_run(self, run_id: UUID) -> RunStatus: ...

    async def list_runs(
        self, filter: RunListFilter, *, before: UUID | None = None, limit: int = PAGE
    ) -> list[RunSummary]:
        """Return a page of runs, newest first."""
        ...

    async def count_runs(self, filter: RunListFilter) -> Count:
        """Return how many runs match. Up to 10,000 the number is exact, above it is an estimate."""
        ...

    async def list_tasks(
        self, filter: TaskListFilter, *, before: UUID | None = None, limit: int = PAGE
    ) -> list[TaskSummary]:
        """Return a page of tasks, newest first."""
        ...

    async def count_tasks(self, filter: TaskListFilter) -> Count:
        """Return how many tasks match. Up to 10,000 the number is exact, above it is an estimate."""
        ...

    async def list_run_inputs(self, run_id: UUID, *, after: int = -1, limit: int = PAGE) -> list[RunInput]:
        """Return a page of the inputs of a run, by position."""
        ...

    async def explain_task(self, task_id: UUID) -> str:
        """Return in one sentence why a task does not run."""
        ...

    async def cancel_run(self, run_id: UUID, reason: str | None) -> bool:
        """Cancel a run. Return False if the run is large: then dispatchers cancel its tasks later."""
        ...

    async def retry_run(self, run_id: UUID, *, reuse: bool, force: bool, from_name: str | None) -> UUID: ...

    async def delete_run(self, run_id: UUID) -> bool:
        """Delete an ended run. Return False if the run is large: then dispatchers delete its tasks later."""
        ...

    async def set_run_metadata(self, run_id: UUID, changes: JsonObject) -> None:
        """Set keys of a run's metadata; null removes a key."""
        ...

    async def set_task_metadata(self, task_id: UUID, changes: JsonObject) -> None:
        """Set keys of a task's metadata; null removes a key."""
        ...

    async def delete_task(self, task_id: UUID) -> None:
        """Delete a task of an ended run with the tasks that it started."""
        ...

    async def delete_group(self, name: str) -> None: ...

    async def retry_runs(self, filter: RunSelection, *, reuse: bool, before: UUID | None, dry_run: bool) -> BulkPiece:
        """Retry a limited number of the runs that a filter selects. The result says where the next call continues."""
        ...

    async def cancel_runs(
        self, filter: RunSelection, *, reason: str | None, before: UUID | None, dry_run: bool
    ) -> BulkPiece:
        """Cancel a limited number of the runs that a filter selects. The result says where the next call continues."""
        ...

    async def delete_runs(self, filter: RunSelection, *, before: UUID | None, dry_run: bool) -> BulkPiece:
        """Delete a limited number of the runs that a filter selects. The result says where the next call continues."""
        ...

    async def purge_queue(self, queue: str, *, reason: str | None, before: UUID | None, dry_run: bool) -> PurgePiece:
        """Cancel a limited number of the tasks that wait in a queue. The result says where the next call continues."""
        ...

    async def send_signal(self, run_id: UUID, name: str, value: Json) -> UUID:
        """Send a signal and return its id."""
        ...

    async def list_awaited_signals(self, run_id: UUID) -> list[AwaitedSignal]:
        """Return the signals that tasks of a run wait for."""
        ...

    async def get_run_data(
        self,
        run_id: UUID,
        *,
        keys: list[str] | None = None,
        prefix: str | None = None,
        glob: str | None = None,
        tags: list[str] | None = None,
        all_tags: bool | None = None,
        history: bool | None = None,
    ) -> list[JsonObject]:
        """Return the matching key-value pairs."""
        ...

    async def put_run_data(
        self, run_id: UUID, values: JsonObject, tags: list[str] | None, metadata: JsonObject | None
    ) -> None: ...

    async def put_object(
        self, data: bytes, type: str, metadata: Mapping[str, Json] | None, at: list[str], hard: bool, persisted: bool
    ) -> UUID: ...

    async def list_objects(
        self,
        *,
        held_by: UUID | None = None,
        group: str | None = None,
        before: UUID | None = None,
        limit: int = PAGE,
    ) -> list[ObjectSummary]:
        """Return a page of data objects, newest first."""
        ...

    async def reference_object(self, object_id: UUID, *, run_id: UUID | None, group: str | None) -> None:
        """Make a run or a resource group hold a data object."""
        ...

    async def release_object(self, object_id: UUID, *, run_id: UUID | None, group: str | None) -> bool:
        """Release the reference of a run or a resource group. Return whether there was such a reference."""
        ...

    async def get_object(self, object_id: UUID) -> bytes: ...

    async def list_schedules(self, after: str | None, limit: int = PAGE) -> list[Schedule]:
        """Return a page of schedules, by name."""
        ...

    async def put_schedule(
        self, name: str, request: StartRequest, *, cron: str, timezone: str, catch_up: str, jitter_seconds: float
    ) -> Schedule:
        """Create or change a schedule."""
        ...

    async def pause_schedule(self, name: str) -> None: ...

    async def resume_schedule(self, name: str) -> datetime:
        """Resume a schedule and return its next start time."""
        ...

    async def fire_schedule(self, name: str) -> UUID:
        """Start a run of a schedule now."""
        ...

    async def delete_schedule(self, name: str) -> None: ...

    async def list_audit(
        self, filter: AuditListFilter, *, before: UUID | None = None, limit: int = PAGE
    ) -> list[AuditEntry]:
        """Return a page of the audit log, newest first."""
        ...
