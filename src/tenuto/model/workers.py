"""Worker sessions as SQL returns them, and the wake-ups that workers receive."""

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True)
class Session:
    """One life of a worker process; the token proves ownership of the session."""

    session_id: int
    token: UUID


CANCEL = "!cancel"  # sent instead of a queue: an attempt was cancelled
EVERY_QUEUE = "*"


@dataclass(frozen=True)
class Wakeup:
    """A queue may have work. Without a queue: wake-ups may have been lost, so check all queues."""

    queue: str | None

    @property
    def rescan(self) -> bool:
        return self.queue is None


def is_for(queue: str, queues: list[str] | None) -> bool:
    """Whether a wake-up for this queue concerns a worker of these queues; None: of all."""
    return queues is None or queue in queues or queue == EVERY_QUEUE


@dataclass(frozen=True)
class PrunedWorkers:
    """How many ended sessions, terminated workers and old scaling decisions were deleted."""

    sessions: int
    workers: int
    decisions: int
