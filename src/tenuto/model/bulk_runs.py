"""Bulk operations on runs: the selection of runs, and the result of one call, which handles a part of them."""

from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True)
class RunSelection:
    """Selects runs that match all fields that are set. `since`: only runs created at that time or later."""

    status: str | None = None
    type: str | None = None
    name: str | None = None
    since: datetime | None = None


@dataclass(frozen=True)
class Refused:
    """A run to which the operation could not be applied, for example because it ended meanwhile."""

    id: UUID
    reason: str


@dataclass(frozen=True)
class BulkPiece:
    """The result of one call, which handles a part of the selected runs. Pass `next_before` as `before` in the next
    call; it is None after the last part. `new_run_ids`: the retries of the runs, in the same order."""

    run_ids: list[UUID]
    refused: list[dict[str, str]]
    next_before: UUID | None
    new_run_ids: list[UUID] = field(default_factory=list[UUID])


@dataclass(frozen=True)
class PurgePiece:
    """The tasks that one call of a purge cancelled. Pass `next_before` as `before` in the next call; it is None after
    the last part."""

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
