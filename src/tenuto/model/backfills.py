"""Backfills: partitions of a dataset that are computed again on request."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

Reprocess = Literal["none", "failed", "all"]
Downstream = Literal["none", "same", "all"]
BackfillStatus = Literal["running", "paused", "cancelling", "completed", "failed", "cancelled"]
ENDED = ("completed", "failed", "cancelled")


@dataclass(frozen=True)
class BackfillScope:
    """The partitions of a dataset that a backfill computes, and how. Either `first` and `last`, both included, or a
    list of `partitions`; neither for a dataset without partitions."""

    dataset: str
    first: str | None = None
    last: str | None = None
    partitions: list[str] | None = None
    reprocess: Reprocess = "none"
    downstream: Downstream = "all"
    concurrency: int = 100
    descending: bool = False
    reason: str | None = None


@dataclass(frozen=True)
class BackfillPreview:
    """Counts the partitions for which a backfill would start a task, wait for an open task, or do nothing."""

    total: int
    starts: int
    waits: int
    skips: int


@dataclass(frozen=True)
class Backfill:
    """A backfill with its progress, in partitions; `downstream_…` are tasks that follow from its commits."""

    id: UUID
    dataset: str
    dag: str
    job: str | None
    first: str | None
    last: str | None
    partitions: list[str] | None
    reprocess: Reprocess
    downstream: Downstream
    concurrency: int
    descending: bool
    reason: str | None
    created_by: str
    status: BackfillStatus
    error: str | None
    total: int
    planned: int
    skipped: int
    started: int
    completed: int
    failed: int
    downstream_completed: int
    downstream_failed: int
    created_at: datetime
    ended_at: datetime | None


@dataclass(frozen=True)
class BackfillTask:
    """A task of a backfill that is open or did not complete. A task that is not `direct` was started by the commit of
    another one."""

    task_id: UUID
    job: str | None
    partition: str | None
    direct: bool
    failed: bool
    error: str | None
