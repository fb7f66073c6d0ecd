"""Schedules: tasks that start at the times of a cron expression."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from tenuto.model.json import Json, JsonObject
from tenuto.model.statuses import CatchUp


@dataclass(frozen=True)
class Schedule:
    """A schedule. `next_at` is None if its cron expression has no more fire times."""

    org_id: UUID
    name: str
    kind: JsonObject
    input: Json
    details: JsonObject | None
    cron: str
    timezone: str
    catch_up: CatchUp
    jitter_seconds: float
    paused_at: datetime | None
    next_at: datetime | None
    last_at: datetime | None
    created_at: datetime


@dataclass(frozen=True)
class ScheduleUpdate:
    """The changes of a schedule. A field that is None does not change."""

    cron: str | None = None
    timezone: str | None = None
    catch_up: CatchUp | None = None
    jitter_seconds: float | None = None
    input: Json = None
    metadata: JsonObject | None = None

    def audited(self, old: Schedule) -> dict[str, JsonObject]:
        """Return the changes for the audit log: {field: {old, new}}."""
        before = {**vars(old), "metadata": (old.details or {}).get("metadata")}
        given = {name: value for name, value in vars(self).items() if value is not None}
        return {name: {"old": before[name], "new": value} for name, value in given.items()}


@dataclass(frozen=True)
class ScheduleChange:
    """One change that the declaration of an app made: a schedule that was put or deleted. `changes`: {field: {old,
    new}}."""

    name: str
    action: Literal["put", "delete"]
    changes: JsonObject


@dataclass(frozen=True)
class DueSchedule:
    """A schedule that is due, with the current time of the database. If `starts_after` is set, the first fire time is
    not computed yet: it is the first one after `starts_after`."""

    org_id: UUID
    name: str
    cron: str
    timezone: str
    catch_up: CatchUp
    next_at: datetime
    now: datetime
    starts_after: datetime | None = None


@dataclass(frozen=True)
class FiredSchedule:
    """A schedule that fired, and the runs that it started."""

    org_id: UUID
    name: str
    run_ids: list[UUID]
