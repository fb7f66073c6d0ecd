"""Worker sessions as SQL returns them."""

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True)
class Session:
    """One life of a worker process; the token proves ownership of the session."""

    session_id: int
    token: UUID


@dataclass(frozen=True)
class PrunedWorkers:
    """How many ended sessions, terminated workers and old scaling decisions were deleted."""

    sessions: int
    workers: int
    decisions: int
