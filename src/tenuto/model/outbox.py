"""The outbox: side effects that are to be carried out."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from tenuto.model.statuses import EffectKind, EffectStatus


@dataclass(frozen=True)
class Effect:
    """One row of the outbox. While a dispatcher (`locked_by`) carries it out, it is locked until `locked_until`."""

    id: int
    org_id: UUID
    kind: EffectKind
    payload: Any
    status: EffectStatus
    available_at: datetime
    attempts: int
    locked_by: str | None
    locked_until: datetime | None
    last_error: str | None
    created_at: datetime
    processed_at: datetime | None
    destination: str = ""
    scope: str = ""
    key: str | None = None

    def summary(self) -> "EffectSummary":
        """Return the effect in the short form that lists show."""
        return EffectSummary(
            id=self.id,
            kind=self.kind,
            payload=self.payload,
            status=self.status,
            attempts=self.attempts,
            available_at=self.available_at,
            last_error=self.last_error,
            created_at=self.created_at,
            processed_at=self.processed_at,
            destination=self.destination,
            key=self.key,
        )


@dataclass(frozen=True)
class EffectSummary:
    """A side effect outside the database. After 20 failed attempts it is dead."""

    id: int
    kind: EffectKind
    payload: Any
    status: EffectStatus
    attempts: int
    available_at: datetime
    last_error: str | None
    created_at: datetime
    processed_at: datetime | None
    destination: str
    key: str | None


def replay_subject(ids: list[int] | None, kind: str | None) -> str:
    """Returns a text for the audit log that says which dead side effects a replay selects."""
    return ", ".join(map(str, ids))[:256] if ids else kind or "dead"


@dataclass(frozen=True)
class FailedEffect:
    """A side effect that failed. `status`: pending until its next retry, or dead."""

    id: int
    status: EffectStatus
    available_at: datetime


@dataclass(frozen=True)
class PublishedEffect:
    """The id of a side effect. `created` is False if it was published before with the same key."""

    id: int
    created: bool


@dataclass(frozen=True)
class Destination:
    """Where an org's effects are delivered."""

    name: str
    url: str
    created_at: datetime
    updated_at: datetime
    openlineage: bool = False  # it receives OpenLineage events, and no effects


@dataclass(frozen=True)
class DestinationSecret:
    """The URL of a destination, and the encrypted secret that signs its deliveries."""

    url: str
    secret: bytes = field(repr=False)
