"""Events: outputs of jobs that changed, and what each did to the jobs that read it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from tenuto.model.json import JsonObject

Reacted = Literal["triggered", "deduped", "filtered", "paused", "stale"]


@dataclass(frozen=True)
class RoutedEffect:
    """An effect of the kind `route_event`, `sink` or `raise_alerts`, and whether it is done; otherwise it is taken
    again."""

    id: int
    done: bool


@dataclass(frozen=True)
class Event:
    """A commit of a partition, or an event that a task emitted, which has no fingerprint. `version` is that of the
    DAG."""

    id: UUID
    dataset: str | None
    dag: str
    job: str | None
    version: int
    output: int
    partition: str | None
    fingerprint: str | None
    task_id: UUID | None  # none: its partition was invalidated
    data: JsonObject | None
    created_at: datetime


@dataclass(frozen=True)
class Reaction:
    """The effect of an event on a job of a version of a DAG. `task_id` is the task that the event started, or a queued
    task that also reads its data; `reason` says why there is none."""

    event_id: UUID
    job_id: UUID
    dag: str
    job: str
    version: int
    dataset: str | None
    event_partition: str | None
    partition: str | None
    reaction: Reacted
    reason: str | None
    task_id: UUID | None
    created_at: datetime
