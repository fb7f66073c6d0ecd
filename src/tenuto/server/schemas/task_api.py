"""Response bodies for running attempts."""

from datetime import datetime
from uuid import UUID

from tenuto.model.json import Json, JsonObject
from tenuto.server.schemas.base import ResponseModel


class InputPartResponse(ResponseModel):
    """`input`, `metadata`, or `slot` with its number."""

    part: str
    slot_no: int | None
    value: Json


class StepResponse(ResponseModel):
    """A recorded step, and how many seconds ago it was recorded. `error`: the step failed, for good unless
    `retry_in_seconds` is set: it is then tried again."""

    step_no: int
    name: str
    kind: str
    value: Json
    error: JsonObject | None
    tries: int
    age_seconds: float
    retry_in_seconds: float | None


class ValueResponse(ResponseModel):
    value: Json


class ChildrenResponse(ResponseModel):
    task_ids: list[UUID]


class TaskDataResponse(ResponseModel):
    id: UUID
    key: str
    value: Json
    tags: list[str]
    metadata: dict[str, Json] | None


class VersionResponse(ResponseModel):
    version: int


class AttemptStateResponse(ResponseModel):
    """Whether the attempt should stop."""

    cancelled: bool


class ReportResponse(ResponseModel):
    """`accepted`, `already_accepted` when this end was reported before, or `refused` when the task failed because of
    what it published."""

    result: str


class FileToWriteResponse(ResponseModel):
    """Where to PUT a file. `location` is what the completion publishes."""

    output: int
    location: str
    name: str
    url: str


class FileToReadResponse(ResponseModel):
    """Where to GET a file of an input."""

    partition: str | None
    location: str
    name: str
    size: int
    url: str


class SignedFilesResponse(ResponseModel):
    """`after` is set if the input has more files: pass it to the next request."""

    writes: list[FileToWriteResponse]
    reads: list[FileToReadResponse]
    after: UUID | None
    expires_at: datetime
