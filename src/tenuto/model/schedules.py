"""Schedules: tasks that start at the times of a cron expression."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from tenuto.model.json import Json, JsonObject


@dataclass(frozen=True)
class Schedule:
    """A schedule; `next_at` is None when its cron expression has no more fire times."""

    org_id: UUID
    name: str
    kind: JsonObject
    input: Json
    details: JsonObject | None
    cron: str
    timezone: str
    catch_up: str
    jitter_seconds: float
    paused_at: datetime | None
    next_at: datetime | None
    last_at: datetime | None
    created_at: datetime


@dataclass(frozen=True)
class ScheduleChange:
    """One change by the declaration of an app: a schedule that was put or deleted, as {field: {old, new}}."""

    name: str
    action: Literal["put", "delete"]
    changes: JsonObject


@dataclass(frozen=True)
class DueSchedule:
    """A schedule that is due, with the current time of the database."""

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
