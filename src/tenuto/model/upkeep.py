"""What the dispatcher's sweeps did."""

from dataclasses import dataclass


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
