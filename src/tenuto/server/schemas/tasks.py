"""What the API answers about tasks: never a lease token."""

from datetime import datetime
from typing import Any
from uuid import UUID

from tenuto.server.schemas.runs import ResponseModel


class TaskSummary(ResponseModel):
    """One line of a list of tasks."""

    id: UUID
    run_id: UUID
    parent_id: UUID | None
    position: int
    name: str | None
    queue: str
    type: str
    labels: list[str]
    priority: int
    status: str
    attempt: int
    failures: int
    losses: int
    max_attempts: int
    error: Any
    progress: float | None
    message: str | None
    worker_id: str | None
    created_at: datetime
    available_at: datetime | None
    next_retry_at: datetime | None
    started_at: datetime | None
    completed_at: datetime | None


class Task(TaskSummary):
    """A task as it is now."""

    language: str
    max_losses: int | None
    run_attempt: int
    optional: bool
    handler: str | None
    input: Any
    output: Any
    metadata: Any
    limits: Any
    external_id: str | None
    copy_of: UUID | None
    queued_at: datetime | None
    duration_seconds: float | None
    waits_for: str | None
    wake_at: datetime | None
    remaining_dependencies: int | None
    cancel_requested: bool | None
    deadline_at: datetime | None
    lease_expires_at: datetime | None
    timeout_seconds: float | None


class TaskAttempt(ResponseModel):
    """One attempt of a task: `running`, or how it ended."""

    attempt: int
    outcome: str
    worker_id: str | None
    queued_at: datetime | None
    started_at: datetime | None
    ended_at: datetime | None
    duration_seconds: float | None
    reported: bool
    error: Any


class TaskAttempts(ResponseModel):
    items: list[TaskAttempt]


class TaskTreeNode(ResponseModel):
    """A task somewhere below the one asked for."""

    id: UUID
    parent_id: UUID | None
    depth: int
    name: str | None
    type: str
    status: str
    attempt: int
    completed_at: datetime | None


class TaskTree(ResponseModel):
    items: list[TaskTreeNode]


class TaskLogLine(ResponseModel):
    """One line of an attempt's log."""

    attempt: int
    line_no: int
    logged_at: datetime
    level: str
    message: str
    fields: Any


class Logs(ResponseModel):
    """Go on after the attempt and number of the last line."""

    items: list[TaskLogLine]


class Explanation(ResponseModel):
    """One sentence that says why a task does not run."""

    why: str
