"""Tasks: list, wait, cancel, logs, explain."""

from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from tenuto.db import monitoring, run_data, runs
from tenuto.db.connection.json_rows import get_task_json
from tenuto.model.monitoring import TaskSummary
from tenuto.model.tasks import TreeNode
from tenuto.server.http.etags import fields_of, tagged
from tenuto.server.http.pagination import SortedFilter, page
from tenuto.server.http.route_table import RouteTable
from tenuto.server.limits.long_poll import Wait, until_ended
from tenuto.server.requests.api import ApiRequest, Transaction
from tenuto.server.schemas import tasks as schemas
from tenuto.server.schemas.base import CancelRequest, Items, Page, ReasonRequest

ROUTES = RouteTable("tasks")
TASK = fields_of(schemas.TaskResponse)

Status = Literal["pending", "queued", "running", "waiting", "retrying", "completed", "failed", "cancelled", "skipped"]


class TaskFilter(SortedFilter):
    """Selects tasks; a filter by status, queue or type searches at most 10,000 tasks."""

    run_id: UUID | None = None
    status: Status | None = None
    queue: str | None = None
    type: str | None = None


class LogCursor(BaseModel):
    """The position of the last line read."""

    model_config = ConfigDict(extra="forbid")

    after_attempt: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    after_line: Annotated[int, Field(ge=0, le=2_147_483_647)] = 0
    limit: Annotated[int, Field(ge=1, le=1000)] = 200


@ROUTES.add("GET", "/v1/tasks", permission="tasks:read", response=Page[TaskSummary])
async def list_tasks(request: ApiRequest, query: TaskFilter) -> Any:
    """List the tasks of the org or of a run, newest or oldest first."""
    return page(await request.ask(monitoring.list_tasks, **query.params()), query, "id")


@ROUTES.add("GET", "/v1/tasks/{task_id}", permission="tasks:read", response=schemas.TaskResponse)
async def get_task(request: ApiRequest, task_id: UUID, wait: Wait = 0) -> Response:
    """Get a task, or with `wait` get it as soon as it has ended. 304 if it still matches `If-None-Match`."""
    found = await until_ended(request, lambda: request.ask(get_task_json, task_id=task_id, fields=TASK), wait)
    return tagged(request.http, found.text)


@ROUTES.add("PATCH", "/v1/tasks/{task_id}", permission="tasks:write", response=None, status=204)
async def update_task(request: ApiRequest, task_id: UUID, body: CancelRequest) -> Response:
    """Cancel a task: `cancelled` is the only status that can be set. A final task stays as it is."""
    return await _cancel(request, task_id, body.reason)


@ROUTES.add("POST", "/v1/tasks/{task_id}/cancel", permission="tasks:write", response=None, status=204)
async def cancel_task(request: ApiRequest, task_id: UUID, body: ReasonRequest | None = None) -> Response:
    """Cancel a task and everything below it."""
    return await _cancel(request, task_id, body.reason if body else None)


async def _cancel(request: ApiRequest, task_id: UUID, reason: str | None) -> Response:
    async def work(change: Transaction) -> None:
        await runs.cancel_task(change.conn, org_id=change.org_id, task_id=task_id, reason=reason)
        await change.note("task", task_id, "cancel", {"reason": {"new": reason}} if reason else None)

    return await request.change(work, status=204)


@ROUTES.add("GET", "/v1/tasks/{task_id}/tree", permission="tasks:read", response=Items[TreeNode])
async def get_task_tree(request: ApiRequest, task_id: UUID) -> Any:
    """Get the tasks below a task."""
    return await _items(request, task_id, await request.ask(runs.get_task_tree, task_id=task_id))


@ROUTES.add("GET", "/v1/tasks/{task_id}/attempts", permission="tasks:read", response=Items[schemas.AttemptResponse])
async def list_attempts(request: ApiRequest, task_id: UUID) -> Any:
    """List the attempts of a task with their outcomes."""
    return await _items(request, task_id, await request.ask(monitoring.list_attempts, task_id=task_id))


@ROUTES.add("GET", "/v1/tasks/{task_id}/logs", permission="tasks:read", response=Items[schemas.LogLineResponse])
async def read_logs(request: ApiRequest, task_id: UUID, query: LogCursor) -> Any:
    """Read the log lines of a task's attempts after a position."""
    return await _items(request, task_id, await request.ask(run_data.read_logs, task_id=task_id, **query.model_dump()))


async def _items(request: ApiRequest, task_id: UUID, found: list[Any]) -> dict[str, Any]:
    """Returns the rows; raises NotFound if there are none because the task does not exist."""
    if not found:
        await request.ask(monitoring.get_task, task_id=task_id)
    return {"items": found}


@ROUTES.add("GET", "/v1/tasks/{task_id}/why", permission="tasks:read", response=schemas.ExplanationResponse)
async def explain_task(request: ApiRequest, task_id: UUID) -> Any:
    """Explain in one sentence why a task does not run."""
    return {"why": await request.ask(monitoring.explain_task, task_id=task_id)}
