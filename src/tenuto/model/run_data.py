"""Data that tasks share: objects, run data, operator state, steps, signals, logs."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from tenuto.model.json import Json, JsonObject


@dataclass(frozen=True)
class StoredObject:
    """A data object: its payload, or the URI at which the payload is stored, and the addresses of the workers that have
    it."""

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
    persisted: bool = False


@dataclass(frozen=True)
class ObjectSummary:
    """A data object in a list, without its bytes. `reference_count` counts the runs, tasks and groups that hold it, up
    to 1,000; `holders` are up to five of them, such as `run:<id>`. It may be deleted from `collect_at` on, which is
    null while it is held or persisted."""

    id: UUID
    type: str
    size: int
    checksum: str | None
    created_at: datetime
    addresses: list[str]
    hard: bool
    persisted: bool
    reference_count: int
    holders: list[str]
    collect_at: datetime | None


@dataclass(frozen=True)
class CollectedObject:
    """A deleted data object; the caller deletes the file that its URI names."""

    id: UUID
    org_id: UUID
    uri: str | None


@dataclass(frozen=True)
class RunDataItem:
    """One value of a run's data, with the attempt that wrote it, if an attempt did. `updated_at` is `created_at` until
    its tags change."""

    id: UUID
    org_id: UUID
    run_id: UUID
    key: str
    value: Json
    tags: list[str]
    task_id: UUID | None
    attempt: int | None
    created_at: datetime
    metadata: JsonObject | None
    updated_at: datetime


@dataclass(frozen=True)
class State:
    """One key of a job's operator state. An update names the version that was read, and fails if it is no longer
    current."""

    key: str
    value: Json
    version: int
    updated_at: datetime


@dataclass(frozen=True)
class TaskStep:
    """A durable step of a task: it runs once across all attempts. `error` is set if it failed: for good, unless
    `retry_at` is set too."""

    task_id: UUID
    step_no: int
    org_id: UUID
    name: str
    kind: str
    value: Json
    attempt: int
    created_at: datetime
    error: JsonObject | None
    tries: int
    retry_at: datetime | None

    def seen_at(self, now: datetime) -> JsonObject:
        """Return what a replay needs to know. Times are relative, because a worker's clock may be wrong."""
        return {
            "step_no": self.step_no,
            "name": self.name,
            "kind": self.kind,
            "value": self.value,
            "error": self.error,
            "tries": self.tries,
            "age_seconds": (now - self.created_at).total_seconds(),
            "retry_in_seconds": None if self.retry_at is None else (self.retry_at - now).total_seconds(),
        }


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
    displayed_attempt: int  # counts only attempts that failed or were lost; `attempt` is a position


@dataclass(frozen=True)
class LogLine:
    """One line of an attempt's log."""

    attempt: int
    line_no: int
    logged_at: datetime
    level: str
    message: str
    fields: Json
    displayed_attempt: int  # counts only attempts that failed or were lost; `attempt` is a position


@dataclass(frozen=True)
class StepInfo:
    """A recorded step of a task; a value of more than 1 KB is left out."""

    step_no: int
    name: str
    kind: str
    value: Json
    value_bytes: int | None
    error: Json
    tries: int
    retry_at: datetime | None
    created_at: datetime


@dataclass(frozen=True)
class SignalInfo:
    """A signal that was sent to a run; a value of more than 1 KB is left out."""

    name: str
    value: Json
    value_bytes: int | None
    sent_at: datetime
    taken_by: UUID | None
    taken_at: datetime | None
