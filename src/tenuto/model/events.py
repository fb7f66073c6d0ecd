"""Events, which say that an output of a job changed, and what each event did to the jobs that read the output."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from tenuto.model.json import JsonObject
from tenuto.model.statuses import ReactionName


@dataclass(frozen=True)
class RoutedEffect:
    """An effect of the kind `route_event`, `sink` or `raise_alerts`, and whether it is done. If not, a dispatcher
    continues it later."""

    id: int
    done: bool


@dataclass(frozen=True)
class Event:
    """A commit or an invalidation of a partition, or an event that a task emitted; an emitted event has no fingerprint.
    `version` is the version of the DAG."""

    id: UUID
    dataset: str | None
    dag: str
    job: str | None
    version: int
    output: int
    partition: str | None
    fingerprint: str | None
    task_id: UUID | None  # None: the event is an invalidation of the partition
    data: JsonObject | None
    created_at: datetime


@dataclass(frozen=True)
class Reaction:
    """The reaction of a job of a DAG version to an event. `task_id` is the task that the event started, or a task that
    was already queued and also reads the data of the event. If there is no task, `reason` says why."""

    event_id: UUID
    job_id: UUID
    dag: str
    job: str
    version: int
    dataset: str | None
    event_partition: str | None
    partition: str | None
    reaction: ReactionName
    reason: str | None
    task_id: UUID | None
    created_at: datetime
