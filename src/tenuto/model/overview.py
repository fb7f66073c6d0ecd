"""The counts of an org that `tenuto status` and the dashboard show."""

from dataclasses import dataclass, field
from datetime import datetime

from tenuto.model.statuses import ALIVE_HEALTH


@dataclass(frozen=True)
class Overview:
    """Counts of an org. `ended` counts attempts of all orgs and only grows, so that two readings give a rate."""

    ready: int
    delayed: int
    waiting: int
    pending: int
    running: int
    oldest_ready_seconds: float | None
    workers: dict[str, int]
    dispatchers: int
    failed_last_minute: int
    lost_last_minute: int
    outbox_pending: int
    outbox_dead: int
    parked: int
    ended: int
    blocked: int
    completed: int
    failed: int
    cancelled: int
    skipped: int
    health: dict[str, int]
    stuck_tasks: int
    rolled_up_until: datetime
    oldest_effect_seconds: float | None = None  # older versions of the SQL function do not return it


@dataclass(frozen=True)
class OrgStatus:
    """Numbers of tasks, workers and effects of an org; `per_second` is how many attempts ended per second recently.
    Ended tasks (`completed`, `failed`, `cancelled`, `skipped`) are counted since the first rollup, up to
    `rolled_up_until`. `health` counts workers by their health. `oldest_effect_seconds` is the age of the oldest pending
    effect. `copy_problem` says that the database is a copy of an installation, on which nothing runs until an admin
    adopts it; it is null otherwise."""

    ready: int
    delayed: int
    waiting: int
    pending: int
    running: int
    oldest_ready_seconds: float | None
    per_second: float
    workers: dict[str, int]
    dispatchers: int
    failed_last_minute: int
    lost_last_minute: int
    outbox_pending: int
    outbox_dead: int
    parked: int
    blocked: int
    completed: int = 0
    failed: int = 0
    cancelled: int = 0
    skipped: int = 0
    health: dict[str, int] = field(default_factory=dict[str, int])
    stuck_tasks: int = 0
    rolled_up_until: datetime | None = None
    oldest_effect_seconds: float | None = None
    copy_problem: str | None = None

    @property
    def workers_alive(self) -> int:
        """The number of workers that run tasks."""
        return sum(self.health.get(health, 0) for health in ALIVE_HEALTH)
