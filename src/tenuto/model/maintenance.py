"""Return values of the dispatcher's maintenance functions."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True)
class DueUpkeep:
    """After how many seconds a loop has work: 0 is now, None means there is none in sight."""

    what: str
    due_in_seconds: float | None


@dataclass(frozen=True)
class SweptLanes:
    """How many lanes were made visible, and how many empty lanes were removed."""

    added: int
    removed: int


@dataclass(frozen=True)
class SweptLimits:
    """How many slots were taken from tasks that do not run, and how many tasks were admitted."""

    freed: int
    filled: int


@dataclass(frozen=True)
class PrunedLimits:
    """How many limits were marked as idle, and how many that stayed idle were deleted."""

    noted: int
    removed: int


@dataclass(frozen=True)
class DroppedPartition:
    """A dropped weekly partition of a table, and how many of its rows moved to the default partition."""

    partition: str
    kept: int


@dataclass(frozen=True)
class Pruned:
    """How many runs were deleted with all their rows, and how many rows that dropped partitions had left behind were
    deleted."""

    runs: int
    leftovers: int


@dataclass(frozen=True)
class DueRow:
    """A row that a loop has to work on: its key and the org, run and task that it belongs to."""

    key: str
    org_id: UUID | None
    run_id: UUID | None
    task_id: UUID | None
    failures: int = 0  # how often it failed when processed alone


@dataclass(frozen=True)
class Parked:
    """A row that was just parked, and when it is retried."""

    key: str
    failures: int
    retry_at: datetime


@dataclass(frozen=True)
class ParkedCount:
    """The number of rows that a loop has parked."""

    loop: str
    parked: int


@dataclass(frozen=True)
class ParkedRow:
    """A row that a loop failed on, with the error and the time of the next retry."""

    loop: str
    key: str
    org_id: UUID | None
    run_id: UUID | None
    task_id: UUID | None
    error: str
    sqlstate: str | None
    failures: int
    parked_at: datetime
    retry_at: datetime
    taken_until: datetime | None
