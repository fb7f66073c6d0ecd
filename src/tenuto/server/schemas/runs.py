"""Response bodies about runs. Responses have only the fields that are listed here, so that no other field is shown by
accident."""

from datetime import datetime
from uuid import UUID

from tenuto.model.json import Json
from tenuto.model.run_requests import RunProgress
from tenuto.model.statuses import RunStatusName
from tenuto.server.schemas.base import ResponseModel


class RunResponse(ResponseModel):
    """A run. `single_task`: the run was started with one task, which has the same id as the run. `type`: the type of
    that task; it is null for a graph, which may have a `name` instead. `output_omitted`: the outputs together have more
    than 16 MB; get the output of each task instead. `retry_of`: the run that this run retries. `retried_by`: the newest
    run that retries this run. `open`: tasks can be added until the run is closed. `held`: none of its tasks starts
    before it is released. At `deadline_at` the run is cancelled unless it has ended. At `expires_at` it is cancelled
    unless it has begun. Both are null for an ended run."""

    id: UUID
    org_id: UUID
    name: str | None
    type: str | None
    single_task: bool
    resource_group: str
    status: RunStatusName
    attempt: int
    max_attempts: int
    total_tasks: int
    completed_tasks: int
    failed_tasks: int
    cancelled_tasks: int
    skipped_tasks: int
    input: Json
    output: Json
    output_omitted: bool
    error: Json
    failed_task_id: UUID | None
    metadata: Json
    retry_of: UUID | None
    retried_by: UUID | None
    next_retry_at: datetime | None
    cancel_requested_at: datetime | None
    created_at: datetime
    started_at: datetime | None
    completed_at: datetime | None
    duration_seconds: float | None
    progress: RunProgress | None
    cancel_reason: str | None
    fraction: float
    message: str | None
    open: bool
    deadline_at: datetime | None
    expires_at: datetime | None
    held: bool


class StartedRun(ResponseModel):
    """The started run. `created` is false if an earlier start with the same `dedupe_key` or `id` created the run. In
    this case, `status` is the current status of the run."""

    id: UUID
    status: RunStatusName
    created: bool


class StartedRuns(ResponseModel):
    """One run for each start of the request, in the same order."""

    items: list[StartedRun]


class AddedTasks(ResponseModel):
    """The ids of the tasks that were added, in the order of the graph."""

    ids: list[UUID]


class ReleasedRun(ResponseModel):
    """The run. `released`: whether this request released it; false if the run was not held."""

    id: UUID
    released: bool


class DataIdsResponse(ResponseModel):
    """The ids of the values that were written: shorter keys first, keys of the same length in the order of their
    bytes."""

    ids: list[UUID]


class DeletedResponse(ResponseModel):
    deleted: int


class TagsResponse(ResponseModel):
    tags: list[str]
