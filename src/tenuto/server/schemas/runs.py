"""Response bodies about runs. Every field is listed here, so that none is shown by accident."""

from datetime import datetime
from typing import Any
from uuid import UUID

from tenuto.server.schemas.base import ResponseModel


class RunProgress(ResponseModel):
    """The progress of an action (`cancel`, `retry`, `delete`) on a large run; `total_tasks` is null until the tasks are
    counted."""

    action: str
    done_tasks: int
    total_tasks: int | None


class RunResponse(ResponseModel):
    """A run. `single_task`: it has one task, whose id is the run's. `type` is the type of the task it was started with;
    a graph has none, but may have a name. `output_omitted`: the outputs have more than 16 MB together; each task shows
    its own."""

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
    output_omitted: bool
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
    progress: RunProgress | None


class StartedRun(ResponseModel):
    """The started run. `created` is false if an earlier start with the same `dedupe_key` created it; `status` is then
    its present status."""

    id: UUID
    status: str
    created: bool


class StartedRuns(ResponseModel):
    """One run for each start of the request, in the same order."""

    items: list[StartedRun]


class RunDataResponse(ResponseModel):
    """One value of a run's data, with the attempt that wrote it if one did."""

    id: UUID
    run_id: UUID
    key: str
    value: Any
    tags: list[str]
    task_id: UUID | None
    attempt: int | None
    created_at: datetime


class DataIdsResponse(ResponseModel):
    """The ids of what was written, in the order of the keys."""

    ids: list[UUID]


class DeletedResponse(ResponseModel):
    deleted: int


class TagsResponse(ResponseModel):
    tags: list[str]
