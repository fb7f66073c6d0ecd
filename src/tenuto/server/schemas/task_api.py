"""What a running attempt is answered about itself."""

from datetime import datetime
from typing import Any
from uuid import UUID

from tenuto.server.schemas.runs import ResponseModel


class InputPart(ResponseModel):
    """`input`, `metadata`, or `slot` with its number."""

    part: str
    slot_no: int | None
    value: Any


class Inputs(ResponseModel):
    items: list[InputPart]


class Step(ResponseModel):
    """What an attempt of the task recorded, and how many seconds ago."""

    step_no: int
    name: str
    kind: str
    value: Any
    age_seconds: float


class Steps(ResponseModel):
    items: list[Step]


class Value(ResponseModel):
    value: Any


class Signal(ResponseModel):
    """The message, if there was one."""

    found: bool
    value: Any


class Children(ResponseModel):
    task_ids: list[UUID]


class TaskResult(ResponseModel):
    """How a task ended."""

    id: UUID
    status: str
    output: Any
    error: Any


class TaskResults(ResponseModel):
    items: list[TaskResult]


class TaskDataItem(ResponseModel):
    id: UUID
    key: str
    value: Any
    tags: list[str]


class TaskDataItems(ResponseModel):
    items: list[TaskDataItem]


class State(ResponseModel):
    key: str
    value: Any
    version: int
    updated_at: datetime


class States(ResponseModel):
    items: list[State]


class Version(ResponseModel):
    version: int


class AttemptState(ResponseModel):
    """Whether the attempt should stop."""

    cancelled: bool


class AttemptReportResult(ResponseModel):
    """`accepted`, or `already_accepted` when this end was reported before."""

    answer: str
