"""What starting, claiming and reporting tasks answers."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID


@dataclass(frozen=True)
class Started:
    """A run, and whether this call made it: a dedupe key that is taken answers the first run."""

    run_id: UUID
    created: bool


@dataclass(frozen=True)
class Route:
    """A number for where tasks wait and who may take them."""

    route_id: int
    queue: str
    type: str
    language: str
    labels: list[str]


@dataclass(frozen=True)
class Claimed:
    """One attempt that is now the worker's."""

    task_id: UUID
    attempt: int
    run_id: UUID
    route_id: int
    input: Any
    slots: list[Any] | dict[str, int] | None  # {"$fetch": how many}: too large for the answer, get_inputs has them
    timeout_seconds: float | None
    metadata: Any


class InputPart(NamedTuple):
    """A part of a large input as JSON text: `input`, `metadata`, or `slot` with its number."""

    part: str
    slot_no: int | None
    value: str | None


@dataclass(frozen=True)
class ClaimAnswer:
    """What a claim by id got: `claimed` and the task, or why it cannot be had."""

    answer: str
    task: Claimed | None


@dataclass(frozen=True)
class ReportResult:
    """What became of one report: accepted, already_accepted or stale_lease. Of a failure also how often the task may be
    tried, and in how many seconds it is tried again; None when it is not."""

    task_id: UUID
    attempt: int
    answer: str
    max_attempts: int | None = None
    again_seconds: float | None = None


@dataclass(frozen=True)
class ExchangeResult:
    """What completing and claiming in one call got: the reports that were not accepted, and the new attempts."""

    refused: list[ReportResult]
    claimed: list[Claimed]


@dataclass(frozen=True)
class TaskResult:
    """How a final task ended."""

    task_id: UUID
    status: str
    output: Any
    error: Any


@dataclass(frozen=True)
class HeartbeatResult:
    """What a heartbeat got: listed attempts that are lost, those that should stop, the newest route, being drained."""

    lost: list[UUID]
    cancelled: list[UUID]
    newest_route: int
    draining: bool


@dataclass(frozen=True)
class ProgressAnswer:
    """An attempt whose progress was not wanted: stale_lease or cancelled."""

    task_id: UUID
    answer: str


@dataclass(frozen=True)
class TreeNode:
    """A task somewhere below the one asked for."""

    id: UUID
    parent_id: UUID | None
    depth: int
    name: str | None
    type: str
    status: str
    attempt: int
    completed_at: datetime | None
