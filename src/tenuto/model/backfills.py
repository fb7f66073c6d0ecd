"""Backfills: partitions of a dataset that are computed again on request."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from tenuto.model.statuses import BackfillStatus, Downstream, Reprocess

ENDED = ("completed", "failed", "cancelled")


@dataclass(frozen=True)
class BackfillScope:
    """The partitions of a dataset that a backfill computes, and how. These are the partitions from `first` to `last`,
    both included, or a list of `partitions`. For a dataset without partitions, none of these fields is set."""

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
    """How many partitions a backfill has (`total`), and for how many of them it would start a task, wait for an
    unfinished task, or do nothing."""

    total: int
    starts: int
    waits: int
    skips: int


@dataclass(frozen=True)
class Backfill:
    """A backfill with its progress, counted in partitions. `downstream_…` count tasks of other jobs that react to its
    commits."""

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
    """A task of a backfill that has not ended, or has ended without completing. A task that is not `direct` was started
    by the commit of another task."""

    task_id: UUID
    job: str | None
    partition: str | None
    direct: bool
    failed: bool
    error: str | None
