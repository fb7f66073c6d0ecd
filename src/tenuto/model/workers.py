"""Worker sessions and logs as SQL returns them, and the wake-ups that workers receive."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from tenuto.model.json import Json
from tenuto.model.statuses import SessionEnd


@dataclass(frozen=True)
class Session:
    """A session: the time from the registration of a worker process until it ends. `token` proves that a caller owns
    the session. `org`: the slug of the worker's org."""

    session_id: int
    token: UUID
    org: str = ""


@dataclass(frozen=True)
class LocalSession:
    """An open session of a worker on this host, and the ids of its processes, as the worker stated them."""

    id: int
    processes: Json


CANCEL = "!cancel"  # sent instead of a queue: an attempt was cancelled
EVERY_QUEUE = "*"


@dataclass(frozen=True)
class Wakeup:
    """A queue may have work. Without a queue: wake-ups may have been lost, so check all queues."""

    queue: str | None

    @property
    def rescan(self) -> bool:
        return self.queue is None


def is_for(queue: str, queues: Collection[str] | None) -> bool:
    """Returns whether a wake-up for this queue concerns a worker that serves `queues`; None means all queues."""
    return queues is None or queue in queues or queue == EVERY_QUEUE


@dataclass(frozen=True)
class PrunedWorkers:
    """How many ended sessions, terminated workers, old scaling decisions and old log lines were deleted."""

    sessions: int
    workers: int
    decisions: int
    log_lines: int = 0


@dataclass(frozen=True)
class WorkerLogEntry:
    """A line of a worker's log. Lines are numbered in the order in which they were written."""

    line_no: int
    logged_at: datetime
    level: str
    message: str


@dataclass(frozen=True)
class WorkerLife:
    """One session of a worker: when it began and ended, and why it ended. `running`: how many attempts it still
    holds."""

    session_id: int
    started_at: datetime
    ended_at: datetime | None
    end_reason: SessionEnd | None
    lease_expires_at: datetime | None
    lease_seconds: float
    queues: list[str] | None
    running: int
