"""Bulk operations on runs: the selection of runs, and the result of one piece."""

from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True)
class RunSelection:
    """Selects runs that match all fields that are set. `since`: created at that time or later."""

    status: str | None = None
    type: str | None = None
    name: str | None = None
    since: datetime | None = None


@dataclass(frozen=True)
class Refused:
    """A run that an operation does not apply to, for example because it ended meanwhile."""

    id: UUID
    reason: str


@dataclass(frozen=True)
class BulkPiece:
    """The result of one piece of an operation. Pass `next_before` as `before` for the next piece; None after the last
    one. `new_run_ids`: the retries of the runs, in the same order."""

    run_ids: list[UUID]
    refused: list[dict[str, str]]
    next_before: UUID | None
    new_run_ids: list[UUID] = field(default_factory=list[UUID])


@dataclass(frozen=True)
class PurgePiece:
    """The tasks that one piece of a purge cancelled."""

    task_ids: list[UUID]
    next_before: UUID | None


@dataclass(frozen=True)
class BulkResult:
    """The result of an operation on many runs."""

    run_ids: list[UUID] = field(default_factory=list[UUID])
    new_run_ids: list[UUID] = field(default_factory=list[UUID])  # the retries of the runs, in the same order
    refused: list[Refused] = field(default_factory=list[Refused])

    def add(self, piece: BulkPiece) -> None:
        self.run_ids.extend(piece.run_ids)
        self.new_run_ids.extend(piece.new_run_ids)
        self.refused.extend(Refused(UUID(item["id"]), item["reason"]) for item in piece.refused)
