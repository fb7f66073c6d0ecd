"""How many rows match a filter, and how many attempts ended per period."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Count:
    """How many rows match a filter. Above 10,000 it is an estimate, and `exact` is false."""

    count: int
    exact: bool


@dataclass(frozen=True)
class ActivityRate:
    """Attempts that ended in the minute, hour or day that begins at `starts_at`. Run times (`p50_seconds`,
    `p95_seconds`) are those of completed attempts. `queue_seconds` is the mean time that tasks were ready before they
    started."""

    starts_at: datetime
    completed: int
    failed: int
    retried: int
    lost: int
    cancelled: int
    p50_seconds: float | None
    p95_seconds: float | None
    queue_seconds: float | None
