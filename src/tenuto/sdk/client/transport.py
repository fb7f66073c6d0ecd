"""The interface between a client and Tenuto, implemented over SQL and over HTTP."""

from collections.abc import Mapping, Sequence
from typing import Protocol
from uuid import UUID

from tenuto.model.json import Json, JsonObject
from tenuto.model.monitoring import RunResult, RunStatus, RunSummary, TaskSummary
from tenuto.model.schedules import Schedule
from tenuto.model.tasks import Started
from tenuto.sdk.client.start_many import BulkStart
from tenuto.sdk.client.start_request import StartRequest

PAGE = 200


class Transport(Protocol):
    """The operations of a client, for one org."""

    poll_seconds: (
        float  # seconds that `poll_runs` may block on the other side; 0: it returns at once and the caller pauses
    )

    async def start(self, plans: Sequence[StartRequest]) -> list[Started]:
        """Start the requested runs in one transaction."""
        ...

    async def start_many(self, many: BulkStart) -> Sequence[UUID | str]:
        """Start the runs and return their ids, in order."""
        ...

    async def poll_runs(self, run_ids: list[UUID], wait: float) -> list[RunResult]:
        """Return the results of those runs that have ended."""
        ...

    async def get_run(self, run_id: UUID) -> RunStatus: ...

    async def list_runs(
        self, *, status: str | None, name: str | None, type: str | None, before: UUID | None, limit: int
    ) -> list[RunSummary]:
        """Return a page of runs, newest first."""
        ...

    async def list_tasks(self, run_id: UUID, *, before: UUID | None, limit: int) -> list[TaskSummary]:
        """Return a page of the tasks of a run, newest first."""
        ...

    async def cancel_run(self, run_id: UUID, reason: str | None) -> None: ...

    async def retry_run(self, run_id: UUID, *, reuse: bool) -> UUID: ...

    async def delete_run(self, run_id: UUID) -> None: ...

    async def send_signal(self, run_id: UUID, name: str, value: Json) -> None: ...

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

    async def put_run_data(self, run_id: UUID, values: JsonObject, tags: list[str] | None) -> None: ...

    async def put_object(self, data: bytes, type: str, metadata: Mapping[str, Json] | None) -> UUID: ...

    async def get_object(self, object_id: UUID) -> bytes: ...

    async def list_schedules(self, after: str | None) -> list[Schedule]:
        """Return a page of schedules, by name."""
        ...

    async def put_schedule(
        self, name: str, plan: StartRequest, *, cron: str, timezone: str, catch_up: str, jitter_seconds: float
    ) -> Schedule:
        """Create or change a schedule."""
        ...

    async def pause_schedule(self, name: str) -> None: ...

    async def resume_schedule(self, name: str) -> None: ...

    async def delete_schedule(self, name: str) -> None: ...
