"""A run as a graph and as a timeline."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from tenuto.model.statuses import AttemptOutcome, EndName, TaskStatusName


@dataclass(frozen=True)
class RunGraphNode:
    """A task of a run. `depends_on`: the tasks for which it waits. `parent_id`: the task that started it."""

    task_id: UUID
    parent_id: UUID | None
    name: str | None
    type: str
    status: TaskStatusName
    attempt: int
    optional: bool
    handler: EndName | None
    started_at: datetime | None
    completed_at: datetime | None
    depends_on: list[UUID]


@dataclass(frozen=True)
class RunAttempt:
    """One attempt of a task of a run. `outcome` is `running`, or how the attempt ended."""

    task_id: UUID
    name: str | None
    type: str
    attempt: int
    outcome: AttemptOutcome
    worker_id: str | None
    queued_at: datetime | None
    started_at: datetime | None
    ended_at: datetime | None
