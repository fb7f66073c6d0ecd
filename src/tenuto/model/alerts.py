"""Alert rules and the alerts that they raised."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from tenuto.model.json import Json
from tenuto.model.statuses import AlertKind, AlertStatus


@dataclass(frozen=True)
class AlertRule:
    """A condition on the health of an org's work. `target` is a job (DAG/JOB), dataset, queue or pool."""

    name: str
    kind: AlertKind
    target: str | None
    threshold: int
    seconds: int
    destination: str | None
    silenced_until: datetime | None
    created_by: str
    created_at: datetime


@dataclass(frozen=True)
class Alert:
    """A cause that a rule found. It is open until the rule no longer finds it."""

    id: UUID
    rule: str
    key: str
    status: AlertStatus
    summary: str
    details: Json
    evaluations: int
    first_at: datetime
    last_at: datetime
    acknowledged_by: str | None
    acknowledged_at: datetime | None
    resolved_at: datetime | None
