"""Request bodies of running attempts. A body can name its attempt, which must then be the one of the token."""

from typing import Annotated, Any, Literal

from pydantic import Field

from tenuto.server.schemas.base import MAX_EXACT_INTEGER, WHOLE, Label, Name, RequestModel
from tenuto.server.schemas.worker_claims import Attempt, Count, Id, LogLineFields, Retry


class TaskApiRequest(RequestModel):
    task_id: Id | None = None
    attempt: Attempt | None = None


class RecordStepRequest(TaskApiRequest):
    step_no: Count
    name: Name
    kind: Literal["step", "child", "sleep", "signal"]
    value: Any


class TakeSignalRequest(TaskApiRequest):
    step_no: Count
    name: Name


class StartChildrenRequest(TaskApiRequest):
    """Kinds, inputs, details and edges in the format of start_run. With a step number, the children are started once
    across attempts."""

    kinds: Annotated[list[dict[str, Any]], Field(min_length=1, max_length=1000)]
    inputs: Annotated[list[Any], Field(min_length=1, max_length=100_000)]
    ids: Annotated[list[Id], Field(max_length=100_000)] | None = None
    task_kinds: Annotated[list[Count], Field(max_length=100_000)] | None = None
    details: Annotated[list[dict[str, Any]], Field(max_length=100_000)] | None = None
    edges: Annotated[list[dict[str, Any]], Field(max_length=1_000_000)] | None = None
    step_no: Count | None = None
    step_name: Name | None = None


class PollTasksRequest(TaskApiRequest):
    task_ids: Annotated[list[Id], Field(max_length=100_000)]


class PutTaskDataRequest(TaskApiRequest):
    values: Annotated[dict[Name, Any], Field(min_length=1, max_length=1000)]
    tags: Annotated[list[Label], Field(max_length=64)] | None = None


class PutStateRequest(TaskApiRequest):
    """`version` is the version that was read; 0 for a new key."""

    key: Annotated[str, Field(min_length=1, max_length=1024)]
    value: Any
    version: Annotated[int, Field(ge=0, le=MAX_EXACT_INTEGER - 1), WHOLE]


class WriteLogsRequest(TaskApiRequest):
    lines: Annotated[list[LogLineFields], Field(max_length=10_000)]


class TaskHeartbeatRequest(TaskApiRequest):
    pass


class ProgressRequest(TaskApiRequest):
    progress: Annotated[float, Field(allow_inf_nan=False)] | None = None
    message: Annotated[str, Field(max_length=8192)] | None = None


class CompleteRequest(TaskApiRequest):
    output: Any = None


class FailRequest(TaskApiRequest):
    """`retry_in_seconds`: when to try again; -1 never, omitted after the backoff."""

    error: Any
    retry_in_seconds: Retry | None = None


class SnoozeRequest(TaskApiRequest):
    seconds: Annotated[float, Field(ge=0, le=315_360_000)]


class WaitTaskRequest(TaskApiRequest):
    """`{"for": "children", "tasks": […]}`, `{"for": "signal", "name": …}` or `{"for": "time", "seconds": …}`."""

    wait: dict[str, Any]
