"""What the dispatcher's sweeps did."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True)
class DueUpkeep:
    """In how many seconds a loop has something to do: 0 is now, None is never as things are."""

    what: str
    due_in_seconds: float | None


@dataclass(frozen=True)
class SweptLanes:
    """Lanes that became visible, and lanes that were empty."""

    added: int
    removed: int


@dataclass(frozen=True)
class SweptLimits:
    """Slots taken from tasks that do not run, and tasks let in."""

    freed: int
    filled: int


@dataclass(frozen=True)
class PrunedLimits:
    """Limits noted as idle, and limits that stayed idle and went."""

    noted: int
    removed: int


@dataclass(frozen=True)
class DroppedPartition:
    """A week of a table that went, and how many of its rows moved to the default partition."""

    partition: str
    kept: int


@dataclass(frozen=True)
class Pruned:
    """Runs deleted with all that belonged to them, and rows that dropped weeks had left behind."""

    runs: int
    leftovers: int


@dataclass(frozen=True)
class DueRow:
    """A row that a loop has work on: its key, and what it belongs to."""

    key: str
    org_id: UUID | None
    run_id: UUID | None
    task_id: UUID | None
    failures: int = 0  # how often it failed alone


@dataclass(frozen=True)
class Parked:
    """A row that was just parked, and when it is tried again."""

    key: str
    failures: int
    retry_at: datetime


@dataclass(frozen=True)
class ParkedCount:
    """How many rows a loop has parked."""

    loop: str
    parked: int


@dataclass(frozen=True)
class ParkedRow:
    """A row that a loop failed on, with the error, until it is tried again."""

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
