"""Response bodies for running attempts."""

from datetime import datetime
from uuid import UUID

from tenuto.model.json import Json, JsonObject
from tenuto.model.statuses import InputPartName, ReportResultName, StepKind
from tenuto.server.schemas.base import ResponseModel


class InputPartResponse(ResponseModel):
    """A part of a task's inputs: `part` is `input`, `metadata` or `slot`. `slot_no`: the number of the slot."""

    part: InputPartName
    slot_no: int | None
    value: Json


class StepResponse(ResponseModel):
    """A recorded step, and how many seconds ago it was recorded. If `error` is set, the step failed. It is tried again
    after `retry_in_seconds`; if this is null, it failed permanently."""

    step_no: int
    name: str
    kind: StepKind
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
    """`result` is `accepted`; `already_accepted` if the same outcome was reported before; or `refused` if the published
    data is not valid, and so the task failed."""

    result: ReportResultName


class FileToWriteResponse(ResponseModel):
    """Where to PUT a file. `location` is the location that the completion must publish."""

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
    """URLs of files. If the input has more files, `after` is set: pass it in the next request."""

    writes: list[FileToWriteResponse]
    reads: list[FileToReadResponse]
    after: UUID | None
    expires_at: datetime
