"""Data that tasks share: objects, run data, operator state, steps, signals, logs."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from tenuto.model.json import Json, JsonObject
from tenuto.model.statuses import StepKind


@dataclass(frozen=True)
class StoredObject:
    """A data object: its payload, or the URI at which the payload is stored. `addresses`: the addresses of the workers
    that have the object."""

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
    """A data object in a list, without its bytes. `reference_count`: how many runs, tasks and groups hold it, counted
    up to 1,000. `holders`: up to five of these runs, tasks and groups, such as `run:<id>`. `collect_at`: the time from
    which the object may be deleted; null while the object is held or persisted."""

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
    """A deleted data object. The caller must delete the file at its URI."""

    id: UUID
    org_id: UUID
    uri: str | None


@dataclass(frozen=True)
class RunDataItem:
    """One value of a run's data. `task_id` and `attempt`: the attempt that wrote it, None if a client did. `updated_at`
    is `created_at` until the tags change."""

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
    """One key of the operator state of a task type or job. An update passes the version that was read, and fails if
    that version is no longer current."""

    key: str
    value: Json
    version: int
    updated_at: datetime


@dataclass(frozen=True)
class TaskStep:
    """A recorded step of a task. A step that succeeded does not run again in later attempts. `error` is set if the step
    failed. If `retry_at` is set too, the step is tried again then; otherwise it failed permanently."""

    task_id: UUID
    step_no: int
    org_id: UUID
    name: str
    kind: StepKind
    value: Json
    attempt: int
    created_at: datetime
    error: JsonObject | None
    tries: int
    retry_at: datetime | None

    def seen_at(self, now: datetime) -> JsonObject:
        """Return the fields of the step that a later attempt needs. Times are relative to `now`, because a worker's
        clock may be wrong."""
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
    """One log line of a task of a run. `task` is the name of the task, or its type if it has no name."""

    task_id: UUID
    task: str
    attempt: int
    line_no: int
    logged_at: datetime
    level: str
    message: str
    fields: Json
    displayed_attempt: int  # the number to show; unlike `attempt`, counts only failed and lost attempts


@dataclass(frozen=True)
class LogLine:
    """One line of an attempt's log."""

    attempt: int
    line_no: int
    logged_at: datetime
    level: str
    message: str
    fields: Json
    displayed_attempt: int  # the number to show; unlike `attempt`, counts only failed and lost attempts


@dataclass(frozen=True)
class StepInfo:
    """A recorded step of a task. A value of more than 1 KB is omitted; `value_bytes` is its size."""

    step_no: int
    name: str
    kind: StepKind
    value: Json
    value_bytes: int | None
    error: Json
    tries: int
    retry_at: datetime | None
    created_at: datetime


@dataclass(frozen=True)
class AwaitedSignal:
    """A signal that a task of a run waits for. `expects`: the expected value in short, null if the task declares no
    type; `schema`: the same as a JSON Schema. `until`: when the wait times out."""

    name: str
    expects: str | None
    schema: JsonObject | None
    task_id: UUID
    since: datetime
    until: datetime | None


@dataclass(frozen=True)
class SignalInfo:
    """A signal that was sent to a run. A value of more than 1 KB is omitted; `value_bytes` is its size. `taken_by`: the
    task that received it."""

    name: str
    value: Json
    value_bytes: int | None
    sent_at: datetime
    taken_by: UUID | None
    taken_at: datetime | None
