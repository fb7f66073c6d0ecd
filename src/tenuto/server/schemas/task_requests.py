"""Request bodies of running attempts. A body can contain a task id and an attempt. They must then be those of the
token."""

from typing import Annotated, Literal

from pydantic import Field

from tenuto.model.json import Json, JsonObject
from tenuto.server.schemas.base import MAX_EXACT_INTEGER, WHOLE, EffectKey, Label, Name, RequestModel
from tenuto.server.schemas.worker_claims import Attempt, Count, Id, LogLineFields, Publications, Retry
from tenuto.storage.base import MAX_KEY_BYTES


class TaskApiRequest(RequestModel):
    task_id: Id | None = None
    attempt: Attempt | None = None


class RecordStepRequest(TaskApiRequest):
    """The result of a step. Steps are numbered 1, 2, … in the order in which the code calls them, patches -1, -2, …"""

    step_no: Annotated[int, Field(ge=-2_147_483_648, le=2_147_483_647), WHOLE]
    name: Name
    kind: Literal["step", "sleep", "signal", "patch"]
    value: Json


class FailStepRequest(TaskApiRequest):
    step_no: Count
    name: Name
    error: JsonObject
    tries: Annotated[int, Field(ge=1, le=1000), WHOLE]
    retry_seconds: Annotated[float, Field(ge=0, le=315_360_000)] | None = None
    kind: Literal["step", "child", "signal"] = "step"


class TakeSignalRequest(TaskApiRequest):
    step_no: Count
    name: Name


class StartChildrenRequest(TaskApiRequest):
    """Child tasks to start. `kinds`, `inputs`, `details` and `edges` have the format of the SQL function start_run.
    With a step number, the children are started only once across attempts."""

    kinds: Annotated[list[JsonObject], Field(min_length=1, max_length=1000)]
    inputs: Annotated[list[Json], Field(min_length=1, max_length=100_000)]
    ids: Annotated[list[Id], Field(max_length=100_000)] | None = None
    task_kinds: Annotated[list[Count], Field(max_length=100_000)] | None = None
    details: Annotated[list[JsonObject], Field(max_length=100_000)] | None = None
    edges: Annotated[list[JsonObject], Field(max_length=1_000_000)] | None = None
    step_no: Count | None = None
    step_name: Name | None = None


class PollTasksRequest(TaskApiRequest):
    task_ids: Annotated[list[Id], Field(max_length=100_000)]


class PutTaskDataRequest(TaskApiRequest):
    values: Annotated[dict[Name, Json], Field(min_length=1, max_length=1000)]
    tags: Annotated[list[Label], Field(max_length=64)] | None = None
    metadata: dict[str, Json] | None = None


class PutStateRequest(TaskApiRequest):
    """`version` is the version that the attempt read; 0 for a new key."""

    key: Annotated[str, Field(min_length=1, max_length=1024)]
    value: Json
    version: Annotated[int, Field(ge=0, le=MAX_EXACT_INTEGER - 1), WHOLE]


class PublishTaskEffectRequest(TaskApiRequest):
    """`payload` is `{"destination": …, "body": …}`. An effect with a `key` is published only once per task type."""

    kind: Literal["deliver"]
    payload: JsonObject
    key: EffectKey | None = None


class EmitEventRequest(TaskApiRequest):
    """An event of an output of the job. `output`: the dataset, the name or the position of the output. An event with a
    `key` is emitted only once."""

    output: Annotated[str, Field(min_length=1, max_length=128)]
    data: JsonObject | None = None
    partition: Annotated[str, Field(min_length=1, max_length=256)] | None = None
    key: Annotated[str, Field(min_length=1, max_length=256)] | None = None


class FileToWrite(RequestModel):
    output: Count = 0
    partition: Annotated[str, Field(min_length=1, max_length=256)] | None = None
    name: Annotated[str, Field(pattern=r"^[0-9A-Za-z_~=-][0-9A-Za-z_.~=-]{0,199}$")]


class SignFilesRequest(TaskApiRequest):
    """The files to write, and the number of an input to read. `after`: `after` of the previous response."""

    writes: Annotated[list[FileToWrite], Field(max_length=1000, default_factory=list)]
    input: Count | None = None
    after: Id | None = None


class StageRowsRequest(TaskApiRequest):
    output: Annotated[int, Field(ge=0, le=99), WHOLE]
    location: Annotated[str, Field(max_length=MAX_KEY_BYTES)]
    page: Annotated[int, Field(ge=0, le=999), WHOLE]
    rows: Annotated[list[list[str | None]], Field(max_length=10_000)]


class WriteLogsRequest(TaskApiRequest):
    lines: Annotated[list[LogLineFields], Field(max_length=10_000)]


class TaskHeartbeatRequest(TaskApiRequest):
    pass


class ProgressRequest(TaskApiRequest):
    progress: Annotated[float, Field(allow_inf_nan=False)] | None = None
    message: Annotated[str, Field(max_length=8192)] | None = None


class CompleteRequest(TaskApiRequest):
    """`published`: the data that a job's task wrote. It is committed in the transaction that completes the task. If it
    is not valid, the task fails and the result is `refused`."""

    output: Json = None
    published: Publications | None = None


class FailRequest(TaskApiRequest):
    """`retry_in_seconds`: when the task is tried again. -1: never. Omitted: after the backoff."""

    error: Json
    retry_in_seconds: Retry | None = None


class SnoozeRequest(TaskApiRequest):
    seconds: Annotated[float, Field(ge=0, le=315_360_000)]


class WaitTaskRequest(TaskApiRequest):
    """`wait` is `{"for": "children", "tasks": […]}`, `{"for": "signal", "name": …}` or `{"for": "time", "seconds":
    …}`."""

    wait: JsonObject
