"""How many rows match a filter, and how many attempts ended per period."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Count:
    """How many rows match a filter; above 10,000 an estimate, which is not `exact`."""

    count: int
    exact: bool


@dataclass(frozen=True)
class ActivityRate:
    """Attempts that ended in a minute, an hour or a day from `starts_at` on. Run times are those of completed attempts;
    `queue_seconds` is the mean time from ready to start."""

    starts_at: datetime
    completed: int
    failed: int
    retried: int
    lost: int
    cancelled: int
    p50_seconds: float | None
    p95_seconds: float | None
    queue_seconds: float | None
