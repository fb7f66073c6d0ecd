"""Data of a running attempt, authenticated by its token: steps, signals, children, run data, operator state."""

from dataclasses import asdict
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from tenuto.db import attempts, maintenance, run_data
from tenuto.model.run_data import Signal, State
from tenuto.model.tasks import TaskResult
from tenuto.server.http.route_table import TASK, RouteTable
from tenuto.server.requests.task import TaskRequest
from tenuto.server.schemas import task_api as responses
from tenuto.server.schemas import task_requests as requests
from tenuto.server.schemas.base import Items, Name
from tenuto.server.starts.inputs import refuse_pickles

ROUTES = RouteTable("task API")


class OwnDataFilter(BaseModel):
    """Selects run data; all conditions must hold."""

    model_config = ConfigDict(extra="forbid")

    keys: Annotated[list[Name], Field(max_length=1000)] | None = None
    prefix: str | None = None
    glob: str | None = None
    tags: Annotated[list[Name], Field(max_length=64)] | None = None
    all_tags: bool | None = None
    tag_prefix: str | None = None
    history: bool | None = None
    limit: Annotated[int, Field(ge=1, le=1000)] = 1000


@ROUTES.add("GET", "/v1/task/steps", permission=TASK, response=Items[responses.StepResponse])
async def get_own_steps(request: TaskRequest) -> Any:
    """List the steps that attempts of the task recorded, in order."""
    async with request.fenced() as attempt:
        now = await maintenance.now(attempt.conn)
        found = await run_data.get_steps(
            attempt.conn, org_id=request.principal.org_id, task_id=request.principal.task_id
        )
    return {"items": [{**asdict(step), "age_seconds": (now - step.created_at).total_seconds()} for step in found]}


@ROUTES.add("POST", "/v1/task/steps", permission=TASK, response=responses.ValueResponse)
async def record_own_step(request: TaskRequest, body: requests.RecordStepRequest) -> Any:
    """Record the result of a step, and return it. If an earlier attempt recorded the step, its value is returned."""
    request.check_named(body.task_id, body.attempt)
    async with request.fenced() as attempt:
        step = {"step_no": body.step_no, "name": body.name, "kind": body.kind, "value": body.value}
        return {"value": await run_data.record_step(attempt.conn, **attempt.fence, **step)}


@ROUTES.add("POST", "/v1/task/signals", permission=TASK, response=Signal)
async def take_own_signal(request: TaskRequest, body: requests.TakeSignalRequest) -> Any:
    """Take the oldest signal of that name to the run that no task has taken. A replay returns the same signal."""
    request.check_named(body.task_id, body.attempt)
    async with request.fenced() as attempt:
        return await run_data.take_signal(attempt.conn, **attempt.fence, step_no=body.step_no, name=body.name)


@ROUTES.add("POST", "/v1/task/children", permission=TASK, response=responses.ChildrenResponse, bulk=True)
async def start_own_children(request: TaskRequest, body: requests.StartChildrenRequest) -> Any:
    """Start child tasks in the run of this task."""
    request.check_named(body.task_id, body.attempt)
    refuse_pickles("the input of a child", [body.inputs, body.details])
    children = {name: value for name, value in body if name not in ("task_id", "attempt")}
    async with request.fenced() as attempt:
        return {"task_ids": await attempts.start_children(attempt.conn, **attempt.fence, **children)}


@ROUTES.add("POST", "/v1/task/children/poll", permission=TASK, response=Items[TaskResult])
async def poll_own_children(request: TaskRequest, body: requests.PollTasksRequest) -> Any:
    """Get the results of those tasks that are final. Tasks of other runs are left out."""
    request.check_named(body.task_id, body.attempt)
    who = request.principal
    async with request.fenced() as attempt:
        found = await attempts.poll_tasks(attempt.conn, org_id=who.org_id, task_ids=body.task_ids, run_id=who.run_id)
    return {"items": found}


@ROUTES.add("GET", "/v1/task/data", permission=TASK, response=Items[responses.TaskDataResponse])
async def get_own_data(request: TaskRequest, query: OwnDataFilter) -> Any:
    """Get the data of the task's run: the latest value of each key, or with `history` all values."""
    who = {"org_id": request.principal.org_id, "run_id": request.principal.run_id}
    async with request.fenced() as attempt:
        found = await run_data.get_run_data(attempt.conn, **who, **query.model_dump())
    return {"items": found}


@ROUTES.add("PUT", "/v1/task/data", permission=TASK, response=None, status=204)
async def put_own_data(request: TaskRequest, body: requests.PutTaskDataRequest) -> Response:
    """Write values to the run's data, recorded as written by this attempt."""
    request.check_named(body.task_id, body.attempt)
    async with request.fenced() as attempt:
        await run_data.put_task_data(attempt.conn, **attempt.fence, values=body.values, tags=body.tags)
    return Response(None, 204)


@ROUTES.add("GET", "/v1/task/state", permission=TASK, response=Items[State])
async def get_own_state(request: TaskRequest, key: Annotated[str | None, Field(max_length=1024)] = None) -> Any:
    """Get the state that tasks of this type keep across runs: one key, or all."""
    async with request.fenced() as attempt:
        job_key = (await attempt.task()).type  # so that no task reaches another type's
        found = await run_data.get_state(attempt.conn, org_id=request.principal.org_id, job_key=job_key, key=key)
    return {"items": found}


@ROUTES.add("PUT", "/v1/task/state", permission=TASK, response=responses.VersionResponse)
async def put_own_state(request: TaskRequest, body: requests.PutStateRequest) -> Any:
    """Set one key, if it still has the version that was read."""
    request.check_named(body.task_id, body.attempt)
    async with request.fenced() as attempt:
        job_key = (await attempt.task()).type  # so that no task reaches another type's
        version = await run_data.put_state(
            attempt.conn, **attempt.fence, job_key=job_key, key=body.key, value=body.value, version=body.version
        )
    return {"version": version}
