"""Data that tasks share: objects, run data, operator state, steps, signals, logs."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from tenuto.model.json import Json


@dataclass(frozen=True)
class StoredObject:
    """A data object: its payload or the URI of it, and the addresses of the workers that have it."""

    id: UUID
    type: str
    uri: str | None
    payload: bytes | None
    size: int
    checksum: str | None
    metadata: Json
    created_at: datetime
    addresses: list[str]
    hard: bool


@dataclass(frozen=True)
class CollectedObject:
    """A deleted data object; the caller deletes the file that its URI names."""

    id: UUID
    org_id: UUID
    uri: str | None


@dataclass(frozen=True)
class RunDataItem:
    """One value of a run's data, with the attempt that wrote it, if an attempt did."""

    id: UUID
    org_id: UUID
    run_id: UUID
    key: str
    value: Json
    tags: list[str]
    task_id: UUID | None
    attempt: int | None
    created_at: datetime


@dataclass(frozen=True)
class State:
    """One key of a job's operator state; the next update is compared with its version."""

    key: str
    value: Json
    version: int
    updated_at: datetime


@dataclass(frozen=True)
class Step:
    """A durable step of a task: it runs once across all attempts."""

    task_id: UUID
    step_no: int
    org_id: UUID
    name: str
    kind: str
    value: Json
    attempt: int
    created_at: datetime


@dataclass(frozen=True)
class Signal:
    """Whether a signal has arrived, and its value."""

    found: bool
    value: Json


@dataclass(frozen=True)
class RunLogLine:
    """One log line of a task of a run; `task` is the task's name, or its type if it has no name."""

    task_id: UUID
    task: str
    attempt: int
    line_no: int
    logged_at: datetime
    level: str
    message: str
    fields: Json


@dataclass(frozen=True)
class LogLine:
    """One line of an attempt's log."""

    task_id: UUID
    attempt: int
    line_no: int
    org_id: UUID
    logged_at: datetime
    level: str
    message: str
    fields: Json
