"""Runs, tasks, workers and queues as the monitoring functions return them."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from tenuto.model.json import Json, JsonObject
from tenuto.model.statuses import (
    AttemptOutcome,
    ChangeKind,
    ChangeStatus,
    DispatcherStatusName,
    EndName,
    RunStatusName,
    TaskStatusName,
    WaitReason,
    WorkerHealth,
    WorkerStatusName,
)

FINAL = frozenset(("completed", "failed", "cancelled", "skipped"))  # statuses of runs and tasks; no run is skipped


@dataclass(frozen=True)
class RunStatus:
    """The current state of a run."""

    id: UUID
    org_id: UUID
    name: str | None
    type: str | None
    single_task: bool
    resource_group: str
    status: RunStatusName
    attempt: int
    max_attempts: int
    total_tasks: int
    completed_tasks: int
    failed_tasks: int
    cancelled_tasks: int
    skipped_tasks: int
    input: Json
    output: Json
    output_omitted: bool  # the output has more than 16 MB: read the outputs of the tasks
    error: Json
    failed_task_id: UUID | None
    metadata: Json
    retry_of: UUID | None
    retried_by: UUID | None
    next_retry_at: datetime | None
    cancel_requested_at: datetime | None
    created_at: datetime
    started_at: datetime | None
    completed_at: datetime | None
    duration_seconds: float | None
    progress: Json  # the progress of an action on a large run: {action, done_tasks, total_tasks}
    cancel_reason: str | None
    fraction: float  # how much is done, from 0 to 1: counts ended tasks, and the reported progress of others
    message: str | None  # the message that a task reported last with its progress
    open: bool = False  # tasks can be added until the run is closed
    deadline_at: datetime | None = None  # when the run is cancelled unless it has ended
    expires_at: datetime | None = None  # when the run is cancelled unless it has begun
    held: bool = False  # none of its tasks starts before the run is released


@dataclass(frozen=True)
class RunInput:
    """The input of a task of a run that depends on no other task. An input of more than 1 KB is omitted; `input_bytes`
    is its size."""

    position: int
    task_id: UUID
    name: str | None
    type: str
    input: Json
    input_bytes: int | None


@dataclass(frozen=True)
class IdleOpenRun:
    """An open run without unfinished tasks: it only waits to be closed."""

    run_id: UUID
    name: str | None
    opened_at: datetime


@dataclass(frozen=True)
class RunState:
    """A run and its status."""

    id: UUID
    status: RunStatusName


@dataclass(frozen=True)
class TaskStatus:
    """The current state of a task. Has more fields than a list of tasks shows, but never the lease token."""

    id: UUID
    run_id: UUID
    parent_id: UUID | None
    position: int
    name: str | None
    queue: str
    type: str
    language: str
    labels: list[str]
    priority: int
    status: TaskStatusName
    attempt: int
    failures: int
    losses: int
    max_attempts: int
    max_losses: int | None
    run_attempt: int
    optional: bool
    handler: EndName | None
    input: Json
    output: Json
    error: Json
    metadata: Json
    limits: Json
    external_id: str | None
    copy_of: UUID | None
    created_at: datetime
    available_at: datetime | None
    queued_at: datetime | None
    next_retry_at: datetime | None
    started_at: datetime | None
    completed_at: datetime | None
    duration_seconds: float | None
    waits_for: WaitReason | None
    wake_at: datetime | None
    remaining_dependencies: int | None
    cancel_requested: bool | None
    progress: float | None
    message: str | None
    deadline_at: datetime | None
    worker_id: str | None
    lease_expires_at: datetime | None
    timeout_seconds: float | None
    last_heartbeat: datetime | None = None
    partitions: list[str] | None = None  # only tasks of jobs have partitions and input_versions
    input_versions: list[JsonObject] | None = None


@dataclass(frozen=True)
class RunResult:
    """How a run ended."""

    id: UUID
    status: RunStatusName
    output: Json
    error: Json
    output_omitted: bool = False  # the output has more than 16 MB: read the outputs of the tasks


@dataclass(frozen=True)
class RunSummary:
    """One entry of a list of runs. `type` is the type of the task with which the run was started, None for a graph."""

    id: UUID
    name: str | None
    type: str | None
    status: RunStatusName
    resource_group: str
    attempt: int
    max_attempts: int
    total_tasks: int
    completed_tasks: int
    failed_tasks: int
    cancelled_tasks: int
    skipped_tasks: int
    retry_of: UUID | None
    retried_by: UUID | None
    created_at: datetime
    started_at: datetime | None
    completed_at: datetime | None
    duration_seconds: float | None
    error: Json
    cancel_reason: str | None


@dataclass(frozen=True)
class TaskSummary:
    """One entry of a list of tasks."""

    id: UUID
    run_id: UUID
    parent_id: UUID | None
    position: int
    name: str | None
    queue: str
    type: str
    labels: list[str]
    priority: int
    status: TaskStatusName
    attempt: int
    failures: int
    losses: int
    max_attempts: int
    error: Json
    progress: float | None
    message: str | None
    worker_id: str | None
    created_at: datetime
    available_at: datetime | None
    next_retry_at: datetime | None
    started_at: datetime | None
    completed_at: datetime | None
    job: str | None = None  # DAG/JOB, for a task of a job
    partition: str | None = None


@dataclass(frozen=True)
class AttemptInfo:
    """One attempt of a task; `outcome` is `running` or how it ended."""

    attempt: int
    outcome: AttemptOutcome
    worker_id: str | None
    queued_at: datetime | None
    started_at: datetime | None
    ended_at: datetime | None
    duration_seconds: float | None
    reported: bool
    error: Json


@dataclass(frozen=True)
class WorkerStatus:
    """A worker, the number of attempts it holds, and its health. `current_task_id` is the oldest task that it runs."""

    id: str
    status: WorkerStatusName
    instance_type: str
    address: str | None
    labels: list[str]
    languages: list[str]
    metadata: JsonObject
    running: int
    created_at: datetime
    last_heartbeat: datetime | None
    lease_expires_at: datetime | None
    drained_at: datetime | None
    drain_reason: str | None
    error: str | None
    terminated_at: datetime | None
    health_status: WorkerHealth | None = None  # None: the worker is terminated
    stuck_tasks: int = 0
    current_task_id: UUID | None = None
    current_task_type: str | None = None
    task_runtime_seconds: float | None = None
    error_at: datetime | None = None


@dataclass(frozen=True)
class QueueStatus:
    """A queue with its counts by state. `oldest_ready_seconds` is how long its oldest ready task has been ready."""

    name: str
    paused_at: datetime | None
    ready: int
    delayed: int
    waiting: int
    running: int
    oldest_ready_seconds: float | None


@dataclass(frozen=True)
class DispatcherInfo:
    """A dispatcher process."""

    id: UUID
    address: str
    port: int
    heartbeat: datetime
    started_at: datetime
    status: DispatcherStatusName


@dataclass(frozen=True)
class ChangeEvent:
    """One change. Its time, number and id are its position in the order of all changes."""

    at: datetime
    id: str
    no: int
    kind: ChangeKind
    status: ChangeStatus
    run_id: UUID | None
