"""Return values of the dispatcher's maintenance functions."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True)
class DueUpkeep:
    """After how many seconds a loop has work: 0 means now, None that no work is planned."""

    what: str
    due_in_seconds: float | None


@dataclass(frozen=True)
class SweptLanes:
    """How many lanes were made visible, and how many empty lanes were removed."""

    added: int
    removed: int


@dataclass(frozen=True)
class SweptLimits:
    """How many limit slots were freed because the tasks that held them do not run, and how many waiting tasks got a
    slot."""

    freed: int
    filled: int


@dataclass(frozen=True)
class PrunedLimits:
    """How many limits were marked as idle, and how many limits were deleted because they stayed idle."""

    noted: int
    removed: int


@dataclass(frozen=True)
class DroppedPartition:
    """A dropped weekly partition of a table, and how many of its rows moved to the default partition."""

    partition: str
    kept: int


@dataclass(frozen=True)
class Pruned:
    """How many runs were deleted with all their rows. `leftovers`: how many single rows were deleted, which had been
    kept when their weekly partition was dropped."""

    runs: int
    leftovers: int


@dataclass(frozen=True)
class DueRow:
    """A row that a loop has to process: its key, and the org, run and task to which it belongs."""

    key: str
    org_id: UUID | None
    run_id: UUID | None
    task_id: UUID | None
    failures: int = 0  # how often it failed when processed alone


@dataclass(frozen=True)
class Parked:
    """A row that was just parked, and when the loop tries it again."""

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
    """A row that a loop failed to process, with the error and the time of the next try."""

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
