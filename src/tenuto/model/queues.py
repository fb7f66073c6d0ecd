"""Facts about queues that metrics and `tenuto doctor` show."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from tenuto.model.statuses import LimitScope


@dataclass(frozen=True)
class QueueTime:
    """How long a task was ready before one of its attempts started."""

    queue: str
    type: str
    seconds: float


@dataclass(frozen=True)
class UnservedTasks:
    """Queued tasks of one route and resource group that no live worker can claim, counted up to 1000. Tasks of paused
    queues are left out."""

    queue: str
    type: str
    tasks: int
    queued_at: datetime
    reason: str


@dataclass(frozen=True)
class BlockedType:
    """Tasks of a type that wait for other code, and the task that has waited longest. At its step `step_no`, an earlier
    attempt recorded `expected`, but the code called `found`."""

    type: str
    code_versions: list[str]
    tasks: int
    task_id: UUID
    since: datetime
    step_no: int | None
    expected: str | None
    found: str | None


@dataclass(frozen=True)
class LimitStatus:
    """A limit and its use. `used`: how many tasks hold a slot; for a rate, how many were admitted in the last
    `seconds`. `waiting`: how many tasks wait for a slot. `declared`: starts do not change its size, because workers
    declare it, or because an admin set it (`overridden`)."""

    scope: LimitScope
    key: str
    size: int
    seconds: float | None
    declared: bool
    queue: str | None
    used: int
    waiting: int
    idle_since: datetime | None
    overridden: bool = False


@dataclass(frozen=True)
class TypeActivity:
    """A task type: its unfinished tasks, and its attempts that ended in the last 24 hours with their run times."""

    type: str
    queued: int
    running: int
    oldest_queued_seconds: float | None
    completed: int
    errors: int
    error_rate_percent: float | None
    p50_seconds: float | None
    p95_seconds: float | None
    p99_seconds: float | None
