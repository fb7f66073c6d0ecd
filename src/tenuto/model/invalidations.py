"""Invalidations: committed partitions whose readers must compute their data again."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from tenuto.model.json import JsonObject
from tenuto.model.statuses import InvalidationStatus


@dataclass(frozen=True)
class InvalidationScope:
    """The partitions of a dataset to invalidate: from `first` to `last`, both included, or a list. `row_filter` says
    which rows changed. It is passed to the tasks that compute the data again."""

    dataset: str
    reason: str
    first: str | None = None
    last: str | None = None
    partitions: list[str] | None = None
    row_filter: JsonObject | None = None


@dataclass(frozen=True)
class InvalidationConsumer:
    """The progress of a job that reads the data. If it is not `direct`, the job reads the output of another job that
    reads the data."""

    job: str | None
    direct: bool
    completed: int
    failed: int
    done_at: datetime | None


@dataclass(frozen=True)
class Invalidation:
    """An invalidation with its progress: `planned` of its `total` partitions were processed. Of these, `invalidated`
    partitions were committed. For each committed partition, an event was sent to the jobs that read it."""

    id: UUID
    dataset: str
    first: str | None
    last: str | None
    partitions: list[str] | None
    row_filter: JsonObject | None
    reason: str
    created_by: str
    status: InvalidationStatus
    error: str | None
    total: int
    planned: int
    invalidated: int
    consumers: list[InvalidationConsumer]
    created_at: datetime
    ended_at: datetime | None
