"""Response bodies about tasks. They never contain a lease token."""

from datetime import datetime
from typing import Any
from uuid import UUID

from tenuto.server.schemas.base import ResponseModel


class TaskResponse(ResponseModel):
    """A task: the fields of a task in a list, and those below."""

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


class AttemptResponse(ResponseModel):
    """One attempt of a task: `running`, or its outcome."""

    attempt: int
    outcome: str
    worker_id: str | None
    queued_at: datetime | None
    started_at: datetime | None
    ended_at: datetime | None
    duration_seconds: float | None
    reported: bool
    error: Any


class LogLineResponse(ResponseModel):
    """One line of an attempt's log."""

    attempt: int
    line_no: int
    logged_at: datetime
    level: str
    message: str
    fields: Any


class ExplanationResponse(ResponseModel):
    """One sentence that explains why a task does not run."""

    why: str
