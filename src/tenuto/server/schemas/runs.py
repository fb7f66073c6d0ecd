"""What the API answers about runs and tasks: every field is named here, so that nothing is shown by accident."""

from datetime import datetime
from typing import Any, Generic, TypeVar
from uuid import UUID

from pydantic import BaseModel, ConfigDict

T = TypeVar("T")


class ResponseModel(BaseModel):
    """Built from the rows that SQL functions return."""

    model_config = ConfigDict(from_attributes=True)


class Page(ResponseModel, Generic[T]):
    """One page; `next` is what the parameter `before` or `after` takes to get the following one."""

    items: list[T]
    next: str | None


class Problem(ResponseModel):
    """What went wrong, as RFC 9457 says it."""

    type: str
    title: str
    status: int
    code: str
    detail: str
    request_id: str
    hint: str | None = None
    errors: list[dict[str, str]] | None = None


class RunSummary(ResponseModel):
    """One line of a list of runs."""

    id: UUID
    name: str | None
    type: str | None
    status: str
    resource_group: str
    attempt: int
    max_attempts: int
    total_tasks: int
    completed_tasks: int
    failed_tasks: int
    cancelled_tasks: int
    skipped_tasks: int
    retry_of: UUID | None
    created_at: datetime
    started_at: datetime | None
    completed_at: datetime | None


class Progress(ResponseModel):
    """The progress of an action (`cancel`, `retry`, `delete`) on a large run; `total_tasks` is null until the tasks are
    counted."""

    action: str
    done_tasks: int
    total_tasks: int | None


class Run(ResponseModel):
    """A run. `single_task`: it has one task, whose id is the run's. `type` is the type of the task it was started with;
    a graph has none, but may have a name."""

    id: UUID
    org_id: UUID
    name: str | None
    type: str | None
    single_task: bool
    resource_group: str
    status: str
    attempt: int
    max_attempts: int
    total_tasks: int
    completed_tasks: int
    failed_tasks: int
    cancelled_tasks: int
    skipped_tasks: int
    input: Any
    output: Any
    error: Any
    failed_task_id: UUID | None
    metadata: Any
    retry_of: UUID | None
    next_retry_at: datetime | None
    cancel_requested_at: datetime | None
    created_at: datetime
    started_at: datetime | None
    completed_at: datetime | None
    duration_seconds: float | None
    progress: Progress | None


class RunResult(ResponseModel):
    """How a run ended, with its output or error."""

    id: UUID
    status: str
    output: Any
    error: Any


class RunResults(ResponseModel):
    items: list[RunResult]


class StartedRun(ResponseModel):
    """The run that was started. `created` is false if an earlier start with the same `dedupe_key` created it, and
    `status` is then its present one."""

    id: UUID
    status: str
    created: bool


class StartedRuns(ResponseModel):
    """One run for each start of the request, in the same order."""

    items: list[StartedRun]


class SignalId(ResponseModel):
    id: UUID


class RunDataItem(ResponseModel):
    """One value of a run's data, with the attempt that wrote it if one did."""

    id: UUID
    run_id: UUID
    key: str
    value: Any
    tags: list[str]
    task_id: UUID | None
    attempt: int | None
    created_at: datetime


class RunDataItems(ResponseModel):
    items: list[RunDataItem]


class DataIds(ResponseModel):
    """The ids of what was written, in the order of the keys."""

    ids: list[UUID]


class Deleted(ResponseModel):
    deleted: int


class Tags(ResponseModel):
    tags: list[str]
