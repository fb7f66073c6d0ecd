"""What the API answers about keys, queues, workers, schedules, groups and the org: never a hash, a key only once."""

from datetime import datetime
from typing import Any
from uuid import UUID

from tenuto.server.schemas.runs import ResponseModel


class ApiKey(ResponseModel):
    """What may be seen of an API key."""

    id: UUID
    key_id: str | None
    prefix: str | None
    name: str
    permissions: list[str]
    created_by: str
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None
    replaced_by: UUID | None


class CreatedKey(ResponseModel):
    """A new API key; it is shown here and nowhere else."""

    id: UUID
    key: str


class Queue(ResponseModel):
    """A queue and what stands in it."""

    name: str
    paused_at: datetime | None
    ready: int
    delayed: int
    waiting: int
    running: int
    oldest_ready_seconds: float | None


class Queues(ResponseModel):
    items: list[Queue]


class Worker(ResponseModel):
    """A worker and how many attempts it holds."""

    id: str
    status: str
    instance_type: str
    address: str | None
    labels: list[str]
    languages: list[str]
    metadata: dict[str, Any]
    running: int
    created_at: datetime
    last_heartbeat: datetime | None
    lease_expires_at: datetime | None
    drained_at: datetime | None
    drain_reason: str | None
    error: str | None
    terminated_at: datetime | None


class Schedule(ResponseModel):
    """What starts when."""

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


class NextRun(ResponseModel):
    """When a schedule is next."""

    next_at: datetime


class Group(ResponseModel):
    """A share of the org's capacity."""

    id: UUID
    external_id: str
    weight: int
    quota: int | None
    created_at: datetime


class GroupId(ResponseModel):
    id: UUID


class Status(ResponseModel):
    """The org at a glance."""

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
