"""Outbox: side effects that are still to be carried out."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID


@dataclass(frozen=True)
class Effect:
    """One row of the outbox, locked by its dispatcher until `locked_until`."""

    id: int
    org_id: UUID
    kind: str
    payload: Any
    status: str
    available_at: datetime
    attempts: int
    locked_by: str | None
    locked_until: datetime | None
    last_error: str | None
    created_at: datetime
    processed_at: datetime | None


@dataclass(frozen=True)
class FailedEffect:
    """A side effect that failed: pending until its next retry, or dead."""

    id: int
    status: str
    available_at: datetime
