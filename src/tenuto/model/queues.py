"""Facts about queues that metrics and `tenuto doctor` show."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True)
class QueueTime:
    """How long one attempt waited from ready to started."""

    queue: str
    type: str
    seconds: float


@dataclass(frozen=True)
class UnservedTasks:
    """Queued tasks of one type and queue that no worker alive can take; at most 1000 are counted."""

    queue: str
    type: str
    tasks: int
    queued_at: datetime
    reason: str


@dataclass(frozen=True)
class BlockedType:
    """Tasks of a type that wait for other code, and the one that has waited longest: at `step_no` an earlier attempt
    recorded `expected`, and the code called `found`."""

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
    """A limit and how much of it is used: `used` tasks hold a slot (of a rate: were admitted in the last `seconds`),
    and `waiting` tasks wait for one. `declared`: starts do not change its size, because workers declare it, or because
    it was set (`overridden`)."""

    scope: str
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
    """A task type: its tasks now, and the attempts that ended within 24 hours with their run times."""

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
