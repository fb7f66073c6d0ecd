"""The interface between the command line and Tenuto, implemented over SQL and over HTTP."""

from datetime import datetime
from typing import Protocol
from uuid import UUID

from tenuto.model.bundles import StoredBundle, WholeBundle
from tenuto.model.details import RunExplanation, TaskDetails
from tenuto.model.identity import ResourceGroup
from tenuto.model.json import JsonObject
from tenuto.model.monitoring import DispatcherInfo, QueueStatus, TaskStatus, WorkerStatus
from tenuto.model.outbox import EffectSummary
from tenuto.model.overview import OrgStatus
from tenuto.model.pools import PoolMachine, PoolStatus, ScalingDecision
from tenuto.model.queues import LimitStatus
from tenuto.model.run_data import LogLine, RunDataItem, RunLogLine
from tenuto.model.run_requests import RunProgress
from tenuto.model.schedules import Schedule, ScheduleUpdate
from tenuto.model.task_types import TaskType, TaskTypeSummary
from tenuto.model.tasks import Started, TreeNode
from tenuto.model.workers import WorkerLife, WorkerLogEntry
from tenuto.sdk.client.start_request import StartRequest
from tenuto.sdk.client.transport import PAGE, Transport


class Operations(Transport, Protocol):
    """The operations of clients and of commands, for one org."""

    url: str  # of the database or server

    async def get_task(self, task_id: UUID) -> TaskStatus: ...

    async def get_task_details(self, task_id: UUID) -> TaskDetails: ...

    async def get_task_tree(self, task_id: UUID) -> list[TreeNode]:
        """Return a task and all tasks below it: its children, their children and so on."""
        ...

    async def cancel_task(self, task_id: UUID, reason: str | None) -> None: ...

    async def explain_run(self, run_id: UUID) -> RunExplanation:
        """Explain for each task of a run that has not ended why it does not run."""
        ...

    async def read_logs(self, task_id: UUID, *, after_attempt: int, after_line: int) -> list[LogLine]:
        """Return log lines of a task after a position."""
        ...

    async def read_run_logs(
        self,
        run_id: UUID,
        *,
        after: datetime | None = None,
        after_task: UUID | None = None,
        after_attempt: int | None = None,
        after_line: int | None = None,
    ) -> list[RunLogLine]:
        """Return log lines of the tasks of a run, by time, after a position or a time."""
        ...

    async def advance_request(self, run_id: UUID) -> RunProgress | None:
        """Return the progress of an accepted request (cancel, retry or delete) on a large run, None if it is done. Over
        SQL, this call also does a part of the work. Over HTTP, only dispatchers do the work."""
        ...

    async def start_checked(self, request: StartRequest) -> Started:
        """Start a run, after a check that its types and queues are known and that its inputs match the schemas that
        workers declared."""
        ...

    async def add_checked(self, run_id: UUID, request: StartRequest) -> list[UUID]:
        """Add tasks to an open run, after the same check."""
        ...

    async def get_schedule(self, name: str) -> Schedule: ...

    async def update_schedule(self, name: str, changes: ScheduleUpdate) -> Schedule: ...

    async def list_queues(self) -> list[QueueStatus]: ...

    async def pause_queue(self, queue: str, *, new: bool) -> None: ...

    async def resume_queue(self, queue: str) -> None: ...

    async def list_workers(
        self, *, status: str | None = None, after: str | None = None, limit: int = PAGE
    ) -> list[WorkerStatus]:
        """Return a page of the workers with this status, by id. Without a status: of all workers that are not
        terminated."""
        ...

    async def get_worker(self, worker_id: str) -> WorkerStatus: ...

    async def read_worker_logs(
        self, worker_id: str, *, after: int | None = None, limit: int = PAGE
    ) -> list[WorkerLogEntry]:
        """Return the newest lines of a worker's log, oldest first, or the lines after line `after`."""
        ...

    async def list_worker_history(
        self, worker_id: str, *, before: int | None = None, limit: int = PAGE
    ) -> list[WorkerLife]:
        """Return a page of the sessions of a worker, newest first."""
        ...

    async def drain_worker(self, worker_id: str, reason: str | None) -> None: ...

    async def terminate_worker(self, worker_id: str) -> None: ...

    async def list_effects(
        self, *, status: str | None = None, kind: str | None = None, before: int | None = None, limit: int = PAGE
    ) -> list[EffectSummary]:
        """Return a page of side effects, newest first."""
        ...

    async def replay_effects(self, ids: list[int] | None, kind: str | None) -> list[int]:
        """Try dead side effects again: the effects with these ids, the effects of this kind, or all. Return their
        ids."""
        ...

    async def list_types(self, *, after: str | None = None, limit: int = PAGE) -> list[TaskTypeSummary]:
        """Return a page of the task types that workers declared or that bundles have, by name."""
        ...

    async def get_type(self, type: str) -> TaskType: ...

    async def list_limits(
        self, *, scope: str | None = None, after: str | None = None, limit: int = PAGE
    ) -> list[LimitStatus]:
        """Return a page of limits, by scope and key; `after` is scope:key."""
        ...

    async def get_limit(self, scope: str, key: str) -> LimitStatus: ...

    async def set_limit(self, scope: str, key: str, size: int) -> None: ...

    async def reset_limit(self, scope: str, key: str) -> None: ...

    async def list_pools(self, *, after: str | None = None, limit: int = PAGE) -> list[PoolStatus]:
        """Return a page of pools, by name."""
        ...

    async def get_pool(self, name: str) -> PoolStatus: ...

    async def set_pool(self, name: str, policy: JsonObject) -> None:
        """Create a pool, or change the fields of its policy that are given."""
        ...

    async def delete_pool(self, name: str, *, force: bool) -> None: ...

    async def request_machines(self, name: str, count: int) -> int:
        """Request machines for a pool by hand. Return how many machines are requested and not started yet."""
        ...

    async def list_pool_machines(self, name: str) -> list[PoolMachine]:
        """Return the machines of a pool that have not ended, newest first."""
        ...

    async def list_scaling_decisions(
        self, name: str, *, before: UUID | None = None, limit: int = PAGE
    ) -> list[ScalingDecision]:
        """Return a page of the decisions about a pool, newest first."""
        ...

    async def list_dispatchers(self) -> list[DispatcherInfo]: ...

    async def get_status(self) -> OrgStatus: ...

    async def list_groups(self, *, after: str | None = None, limit: int = PAGE) -> list[ResourceGroup]:
        """Return a page of resource groups, by external id."""
        ...

    async def get_group(self, external_id: str) -> ResourceGroup: ...

    async def set_group(self, external_id: str, *, weight: int, quota: int | None) -> UUID:
        """Create a resource group, or change it; return its id."""
        ...

    async def list_bundles(self, *, before: UUID | None = None, limit: int = PAGE) -> list[StoredBundle]:
        """Return a page of bundles, newest first."""
        ...

    async def get_bundle(self, sha256: str) -> WholeBundle: ...

    async def put_bundle(self, content: bytes) -> WholeBundle:
        """Upload a bundle."""
        ...

    async def delete_bundle(self, sha256: str) -> None: ...

    async def get_run_data_value(self, data_id: UUID) -> RunDataItem: ...

    async def get_run_data_by_key(self, run_id: UUID, key: str) -> RunDataItem:
        """Return the latest value of a key, with its writer and time."""
        ...
