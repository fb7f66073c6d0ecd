"""Response bodies for running attempts."""

from typing import Any
from uuid import UUID

from tenuto.server.schemas.base import ResponseModel


class InputPartResponse(ResponseModel):
    """`input`, `metadata`, or `slot` with its number."""

    part: str
    slot_no: int | None
    value: Any


class StepResponse(ResponseModel):
    """A recorded step, and how many seconds ago it was recorded."""

    step_no: int
    name: str
    kind: str
    value: Any
    age_seconds: float


class ValueResponse(ResponseModel):
    value: Any


class ChildrenResponse(ResponseModel):
    task_ids: list[UUID]


class TaskDataResponse(ResponseModel):
    id: UUID
    key: str
    value: Any
    tags: list[str]


class VersionResponse(ResponseModel):
    version: int


class AttemptStateResponse(ResponseModel):
    """Whether the attempt should stop."""

    cancelled: bool


class ReportResponse(ResponseModel):
    """`accepted`, or `already_accepted` when this end was reported before."""

    answer: str
