"""Filters of lists: which runs, tasks and audit entries a client lists or counts."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from tenuto.model.json import JsonObject


@dataclass(frozen=True)
class RunListFilter:
    """Selects runs that match all fields that are set. `statuses`: the run has one of these statuses. `since`: created
    at that time or later. `until`: created before that time. `dedupe_key`: the run with this key among the runs of the
    type or name. `metadata`: keys and values that the run's metadata contains."""

    statuses: list[str] | None = None
    name: str | None = None
    type: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    dedupe_key: str | None = None
    metadata: JsonObject | None = None


@dataclass(frozen=True)
class TaskListFilter:
    """Selects tasks of the org or of a run that match all fields that are set. `statuses`: the task has one of these
    statuses. `job`: the task belongs to this job (DAG/JOB). `since`: created at that time or later. `until`: created
    before that time. `external_id`: the id of the task in another system. `metadata`: keys and values that the task's
    metadata contains."""

    run_id: UUID | None = None
    statuses: list[str] | None = None
    queue: str | None = None
    type: str | None = None
    job: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    external_id: str | None = None
    metadata: JsonObject | None = None


@dataclass(frozen=True)
class AuditListFilter:
    """Selects entries of the audit log that match all fields that are set. `actor_id`: a database login, or the id of a
    key or user. `ip`: the address of the client. `since`: written at that time or later. `until`: written before that
    time."""

    entity: str | None = None
    entity_id: str | None = None
    action: str | None = None
    actor_id: str | None = None
    ip: str | None = None
    since: datetime | None = None
    until: datetime | None = None
