"""Tasks that start at times."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID


@dataclass(frozen=True)
class Schedule:
    """What starts when; `next_at` is None when its cron names no more moments."""

    org_id: UUID
    name: str
    kind: dict[str, Any]
    input: Any
    details: dict[str, Any] | None
    cron: str
    timezone: str
    catch_up: str
    jitter_seconds: float
    paused_at: datetime | None
    next_at: datetime | None
    last_at: datetime | None
    created_at: datetime


@dataclass(frozen=True)
class DueSchedule:
    """A schedule whose time has come, and the time it is."""

    org_id: UUID
    name: str
    cron: str
    timezone: str
    catch_up: str
    next_at: datetime
    now: datetime


@dataclass(frozen=True)
class FiredSchedule:
    """A schedule that was fired, and the runs it started."""

    org_id: UUID
    name: str
    run_ids: list[UUID]
