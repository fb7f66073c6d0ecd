"""The interface between a client and Tenuto, implemented over SQL and over HTTP."""

from collections.abc import Sequence
from typing import Any, Protocol
from uuid import UUID

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

    async def list_runs(self, **page: Any) -> list[RunSummary]: ...

    async def list_tasks(self, **page: Any) -> list[TaskSummary]: ...

    async def cancel_run(self, run_id: UUID, reason: str | None) -> None: ...

    async def retry_run(self, run_id: UUID, *, reuse: bool) -> UUID: ...

    async def delete_run(self, run_id: UUID) -> None: ...

    async def send_signal(self, run_id: UUID, name: str, value: Any) -> None: ...

    async def get_run_data(self, run_id: UUID, **query: Any) -> list[dict[str, Any]]: ...

    async def put_run_data(self, run_id: UUID, values: dict[str, Any], tags: list[str] | None) -> None: ...

    async def put_object(self, data: bytes, type: str, metadata: dict[str, Any] | None) -> UUID: ...

    async def get_object(self, object_id: UUID) -> bytes: ...

    async def list_schedules(self, after: str | None) -> list[Schedule]:
        """Return a page of schedules, by name."""
        ...

    async def put_schedule(self, name: str, plan: StartRequest, **times: Any) -> Schedule:
        """Create or change a schedule. `times`: cron, timezone, catch_up and jitter_seconds."""
        ...

    async def pause_schedule(self, name: str) -> None: ...

    async def resume_schedule(self, name: str) -> None: ...

    async def delete_schedule(self, name: str) -> None: ...
