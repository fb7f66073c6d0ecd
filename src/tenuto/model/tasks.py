"""Return values of the SQL functions that start, claim and report tasks."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from tenuto.model.json import Json
from tenuto.model.statuses import InputPartName, ProgressResultName, ReportResultName, TaskStatusName
from tenuto.model.workers import Session

MAX_TASKS = 100_000  # maximum number of tasks of one run


@dataclass(frozen=True)
class Started:
    """A run. `created` is False if a run with the same dedupe key or id existed; this is then the existing run."""

    run_id: UUID
    created: bool


@dataclass(frozen=True)
class Route:
    """A route: a combination of queue, type, language and labels, which has a number (`route_id`)."""

    route_id: int
    queue: str
    type: str
    language: str
    labels: list[str]


@dataclass(frozen=True)
class Claimed:
    """An attempt that the worker has claimed."""

    task_id: UUID
    attempt: int
    run_id: UUID
    route_id: int
    input: Json
    # {"$fetch": n}: n slots are too large for this response; get_inputs returns them
    slots: list[Json] | dict[str, int] | None
    timeout_seconds: float | None
    metadata: Json
    root_id: UUID | None  # for a task that a retry copied: the task of the first run


@dataclass(frozen=True)
class Fences:
    """Attempts that a session holds. Every report contains them, so that a worker that lost an attempt cannot end
    it."""

    session: Session
    task_ids: list[UUID]
    attempts: list[int]


Row = tuple[Any, ...]  # a row of complete_and_claim with the columns of ClaimedRow; a plain tuple is faster


class ClaimedRow(NamedTuple):
    """A claimed task as the database sends it to a worker, with UUIDs and JSON as text. If `result` is set, it is a
    rejected report instead."""

    result: str | None
    task_id: str
    attempt: int
    run_id: str
    route_id: int
    input: str | None
    slots: str | None
    timeout_seconds: float | None
    metadata: str | None
    root_id: str | None


@dataclass(frozen=True)
class FailureCount:
    """How many attempts of a task have failed so far, and how many were lost."""

    failures: int
    losses: int


class InputPart(NamedTuple):
    """A part of a large input as JSON text: `input`, `metadata`, or `slot` with its number."""

    part: InputPartName
    slot_no: int | None
    value: str | None


@dataclass(frozen=True)
class ClaimResult:
    """The result of a claim by id. `result` is `claimed`, with the task, or the reason why the task was not claimed."""

    result: str
    task: Claimed | None


@dataclass(frozen=True)
class ReportResult:
    """The result of one report: accepted, already_accepted, stale_lease, or refused if the published data is not valid.
    For a failure, it also has the maximum number of attempts and the seconds until the next attempt (None: no
    retry)."""

    task_id: UUID
    attempt: int
    result: ReportResultName
    max_attempts: int | None = None
    retry_in_seconds: float | None = None


@dataclass(frozen=True)
class Unclaimable:
    """A task that was postponed because its claim raised an error."""

    task_id: UUID
    org_id: UUID
    run_id: UUID
    error: str


@dataclass(frozen=True)
class ExchangeResult:
    """The result of completing and claiming in one call: the rejected reports and the new attempts."""

    refused: list[ReportResult]
    claimed: list[Claimed]


@dataclass(frozen=True)
class TaskResult:
    """How a task ended."""

    id: UUID
    status: TaskStatusName
    output: Json
    error: Json


@dataclass(frozen=True)
class HeartbeatResult:
    """The result of a heartbeat. `lost`: the tasks of attempts that the worker listed but no longer holds. `cancelled`:
    the tasks of attempts that should stop. `newest_route`: the largest route number. `draining`: whether the worker is
    draining."""

    lost: list[UUID]
    cancelled: list[UUID]
    newest_route: int
    draining: bool


@dataclass(frozen=True)
class ProgressResult:
    """An attempt whose progress was rejected. `result` is stale_lease or cancelled."""

    task_id: UUID
    result: ProgressResultName


@dataclass(frozen=True)
class TreeNode:
    """The requested task, or a task that it started, directly or indirectly."""

    id: UUID
    parent_id: UUID | None
    depth: int
    name: str | None
    type: str
    status: TaskStatusName
    attempt: int
    completed_at: datetime | None
