"""Tasks: list, get and wait, change, cancel, delete, read logs, explain. Also lists the tasks and logs of a run."""

from typing import Annotated, Any
from uuid import UUID

from pydantic import Field
from starlette.responses import Response

from tenuto.db import counts, details, metadata, monitoring, run_data, runs
from tenuto.db.connection.json_rows import get_task_json
from tenuto.model.details import TaskDetails
from tenuto.model.errors import InvalidInput
from tenuto.model.monitoring import AttemptInfo, TaskStatus, TaskSummary
from tenuto.model.run_data import LogLine, RunLogLine
from tenuto.model.statuses import TaskStatusName
from tenuto.model.tasks import TreeNode
from tenuto.server.http.etags import fields_of, tagged
from tenuto.server.http.pagination import CountedFilter, Query, page
from tenuto.server.http.route_table import IF_NONE_MATCH, NOT_MODIFIED, RouteTable
from tenuto.server.limits.long_poll import Wait, until_ended
from tenuto.server.requests.api import ApiRequest, Transaction
from tenuto.server.schemas import tasks as schemas
from tenuto.server.schemas.base import CountedPage, Items, Moment, ReasonRequest, UpdateRequest

ROUTES = RouteTable("tasks")
TASK = fields_of(TaskStatus)


class RunTaskFilter(CountedFilter):
    """Selects tasks of a run. `status`: can be sent several times, for tasks in any of these statuses. `job`: only
    tasks of this job (DAG/JOB). `since`: only tasks created at that time or later. `until`: only tasks created before
    that time. `metadata`: a JSON object that the metadata of the task must contain. `count`: also return how many tasks
    match, exactly up to 10,000 and estimated above."""

    status: Annotated[list[TaskStatusName], Field(max_length=9)] | None = None
    queue: str | None = None
    type: str | None = None
    job: str | None = None


class TaskFilter(RunTaskFilter):
    """Selects tasks. A filter by queue, type, job or the status `completed`, and any filter together with
    `sort=created_at`, searches at most 10,000 tasks, or the whole run if `run_id` is set. `status`: can be sent several
    times, for tasks in any of these statuses. `job`: only tasks of this job (DAG/JOB). `since`: only tasks created at
    that time or later. `until`: only tasks created before that time. `metadata`: a JSON object that the metadata of the
    task must contain. `count`: also return how many tasks match, exactly up to 10,000 and estimated above.
    `external_id`: the id of the task in another system."""

    run_id: UUID | None = None
    external_id: Annotated[str, Field(min_length=1, max_length=256)] | None = None


class RunLogCursor(Query):
    """The position of the last line that was read, or only its time (`after`)."""

    after: Moment | None = None
    after_task: UUID | None = None
    after_attempt: Annotated[int, Field(ge=0, le=1_000_000)] | None = None
    after_line: Annotated[int, Field(ge=0, le=2_147_483_647)] | None = None
    limit: Annotated[int, Field(ge=1, le=1000)] = 200


class LogCursor(Query):
    """The position of the last line read."""

    after_attempt: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    after_line: Annotated[int, Field(ge=0, le=2_147_483_647)] = 0
    limit: Annotated[int, Field(ge=1, le=1000)] = 200


@ROUTES.add("GET", "/v1/tasks", permission="tasks:read", response=CountedPage[TaskSummary])
async def list_tasks(request: ApiRequest, query: TaskFilter) -> object:
    """List the tasks of the org or of a run, newest or oldest first."""
    if query.count and query.external_id is not None:
        raise InvalidInput("count and external_id are both set", "leave out count: few tasks have the same external id")
    found = page(await request.call_with(query, monitoring.list_tasks), query, "id")
    return {**found, "total": await request.call_with(query.conditions(), counts.count_tasks)} if query.count else found


@ROUTES.add("GET", "/v1/runs/{run_id}/tasks", permission="tasks:read", response=CountedPage[TaskSummary])
async def list_run_tasks(request: ApiRequest, run_id: UUID, query: RunTaskFilter) -> object:
    """List the tasks of a run, newest or oldest first."""
    found = await request.call_with(query, monitoring.list_tasks, run_id=run_id)
    if not found:
        await request.call(monitoring.get_run, run_id=run_id)  # raises NotFound if the run does not exist
    if not query.count:
        return page(found, query, "id")
    total = await request.call_with(query.conditions(), counts.count_tasks, run_id=run_id)
    return {**page(found, query, "id"), "total": total}


@ROUTES.add("GET", "/v1/runs/{run_id}/logs", permission="tasks:read", response=Items[RunLogLine])
async def read_run_logs(request: ApiRequest, run_id: UUID, query: RunLogCursor) -> object:
    """Read the log lines of all tasks of a run in the order of their times, after a position. To continue, pass
    `logged_at`, `task_id`, `attempt` and `line_no` of the last line that was read. Workers write lines in batches, so
    lines with earlier times can still arrive."""
    found = await request.call_with(query, run_data.read_run_logs, run_id=run_id)
    if not found:
        await request.call(monitoring.get_run, run_id=run_id)
    return {"items": found}


@ROUTES.add(
    "GET",
    "/v1/tasks/{task_id}",
    permission="tasks:read",
    response=TaskStatus,
    headers=(IF_NONE_MATCH,),
    responses=NOT_MODIFIED,
)
async def get_task(request: ApiRequest, task_id: UUID, wait: Wait = 0) -> Response:
    """Get a task. With `wait`, the response comes when the task has ended, or after that many seconds. 304 if
    `If-None-Match` has the current ETag of the task."""
    found = await until_ended(request, lambda: request.call(get_task_json, task_id=task_id, fields=TASK), wait)
    return tagged(request.http, found.text)


@ROUTES.add("GET", "/v1/tasks/{task_id}/details", permission="tasks:read", response=TaskDetails)
async def get_task_details(request: ApiRequest, task_id: UUID) -> object:
    """Get a task with its attempts and recorded steps, and the dedupe key and signals of its run."""
    return await request.read(details.get_task_details, task_id=task_id)


@ROUTES.add("PATCH", "/v1/tasks/{task_id}", permission="tasks:write", response=None, status=204)
async def update_task(request: ApiRequest, task_id: UUID, body: UpdateRequest) -> Response:
    """Set keys of a task's metadata, or cancel the task, or both. The metadata of an ended task can be set too.
    Changes do not reach the code of the task: every attempt receives the metadata from the start of the task."""

    async def work(change: Transaction) -> None:
        if body.metadata is not None:
            await metadata.set_task_metadata(change.conn, org_id=change.org_id, task_id=task_id, changes=body.metadata)
            await change.audit("task", task_id, "set", {"metadata": {"new": body.metadata}})
        if body.status is not None:
            await _cancel_in(change, task_id, body.reason)

    return await request.change(work, status=204)


@ROUTES.add("DELETE", "/v1/tasks/{task_id}", permission="runs:delete", response=None, status=204)
async def delete_task(request: ApiRequest, task_id: UUID) -> Response:
    """Delete a task of an ended run with the tasks that it started, their data and the run data that they wrote. The
    counts of the run stay, and the run cannot be retried any more. 409 for the task with which the run was started
    (delete the run instead), for more than 10,000 tasks, and while a retry of the run copies its tasks."""

    async def work(change: Transaction) -> None:
        tasks = await runs.delete_task(change.conn, org_id=change.org_id, task_id=task_id)
        await change.audit("task", task_id, "delete", {"tasks": {"new": tasks}})

    return await request.change(work, status=204)


@ROUTES.add("POST", "/v1/tasks/{task_id}/cancel", permission="tasks:write", response=None, status=204)
async def cancel_task(request: ApiRequest, task_id: UUID, body: ReasonRequest | None = None) -> Response:
    """Cancel a task, the tasks that it started, directly or indirectly, and the tasks that need its completion. 409 if
    the task has ended. Also 409 if it is a handler (a task that runs when all other tasks of its run have ended) and
    has not started."""
    return await _cancel(request, task_id, body.reason if body else None)


async def _cancel(request: ApiRequest, task_id: UUID, reason: str | None) -> Response:
    return await request.change(lambda change: _cancel_in(change, task_id, reason), status=204)


async def _cancel_in(change: Transaction, task_id: UUID, reason: str | None) -> None:
    await runs.cancel_task(change.conn, org_id=change.org_id, task_id=task_id, reason=reason)
    await change.audit("task", task_id, "cancel", {"reason": {"new": reason}} if reason else None)


@ROUTES.add("GET", "/v1/tasks/{task_id}/tree", permission="tasks:read", response=Items[TreeNode])
async def get_task_tree(request: ApiRequest, task_id: UUID) -> object:
    """Get a task with the tasks that it started, directly or indirectly."""
    return await _items(request, task_id, await request.call(runs.get_task_tree, task_id=task_id))


@ROUTES.add("GET", "/v1/tasks/{task_id}/attempts", permission="tasks:read", response=Items[AttemptInfo])
async def list_attempts(request: ApiRequest, task_id: UUID) -> object:
    """List the attempts of a task with their outcomes."""
    return await _items(request, task_id, await request.call(monitoring.list_attempts, task_id=task_id))


@ROUTES.add("GET", "/v1/tasks/{task_id}/logs", permission="tasks:read", response=Items[LogLine])
async def read_logs(request: ApiRequest, task_id: UUID, query: LogCursor) -> object:
    """Read the log lines of a task's attempts after a position."""
    return await _items(request, task_id, await request.call_with(query, run_data.read_logs, task_id=task_id))


async def _items(request: ApiRequest, task_id: UUID, found: list[Any]) -> dict[str, Any]:
    """Returns the rows; raises NotFound if there are none because the task does not exist."""
    if not found:
        await request.call(monitoring.get_task, task_id=task_id)
    return {"items": found}


@ROUTES.add("GET", "/v1/tasks/{task_id}/why", permission="tasks:read", response=schemas.ExplanationResponse)
async def explain_task(request: ApiRequest, task_id: UUID) -> object:
    """Explain in one sentence why a task does not run, where it runs, or how it ended."""
    return {"why": await request.call(monitoring.explain_task, task_id=task_id)}
