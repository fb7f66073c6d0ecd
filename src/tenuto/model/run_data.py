"""What tasks share: objects, run data, operator state, steps, signals, logs."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID


@dataclass(frozen=True)
class StoredObject:
    """A stored object: a payload or the uri of one, and where it lives."""

    id: UUID
    type: str
    uri: str | None
    payload: bytes | None
    size: int
    checksum: str | None
    metadata: Any
    created_at: datetime
    addresses: list[str]
    hard: bool


@dataclass(frozen=True)
class CollectedObject:
    """A data object that is gone; what its uri names is for the caller to delete."""

    id: UUID
    org_id: UUID
    uri: str | None


@dataclass(frozen=True)
class RunDataItem:
    """One value of a run's data, with the attempt that wrote it if one did."""

    id: UUID
    org_id: UUID
    run_id: UUID
    key: str
    value: Any
    tags: list[str]
    task_id: UUID | None
    attempt: int | None
    created_at: datetime


@dataclass(frozen=True)
class State:
    """One key of a job's operator state; its version is what the next change compares."""

    key: str
    value: Any
    version: int
    updated_at: datetime


@dataclass(frozen=True)
class Step:
    """A part of a task that ran once across its attempts."""

    task_id: UUID
    step_no: int
    org_id: UUID
    name: str
    kind: str
    value: Any
    attempt: int
    created_at: datetime


@dataclass(frozen=True)
class Signal:
    """Whether a message was there, and what it says."""

    found: bool
    value: Any


@dataclass(frozen=True)
class RunLogLine:
    """One line that a task of a run logged; `task` is its name, or its type where it has none."""

    task_id: UUID
    task: str
    attempt: int
    line_no: int
    logged_at: datetime
    level: str
    message: str
    fields: Any


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
    fields: Any
