"""Invalidations: committed partitions whose readers must compute their data again."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from tenuto.model.json import JsonObject


@dataclass(frozen=True)
class InvalidationScope:
    """The partitions of a dataset to invalidate: from `first` to `last`, both included, or a list. `row_filter` says
    which rows changed, for the code that computes again."""

    dataset: str
    reason: str
    first: str | None = None
    last: str | None = None
    partitions: list[str] | None = None
    row_filter: JsonObject | None = None


@dataclass(frozen=True)
class InvalidationConsumer:
    """How far a job that reads the data has come. A job that is not `direct` follows from a commit of another one."""

    job: str | None
    direct: bool
    completed: int
    failed: int
    done_at: datetime | None


@dataclass(frozen=True)
class Invalidation:
    """An invalidation with its progress: `planned` of its `total` partitions were processed, and `invalidated` of
    those were committed, so that an event was sent to their readers."""

    id: UUID
    dataset: str
    first: str | None
    last: str | None
    partitions: list[str] | None
    row_filter: JsonObject | None
    reason: str
    created_by: str
    status: Literal["running", "completed", "failed"]
    error: str | None
    total: int
    planned: int
    invalidated: int
    consumers: list[InvalidationConsumer]
    created_at: datetime
    ended_at: datetime | None
