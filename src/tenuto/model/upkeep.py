"""What the dispatcher's sweeps did."""

from dataclasses import dataclass


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
