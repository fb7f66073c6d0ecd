"""Calls of a running attempt for its data, authenticated by its token: steps, signals, children, run data, operator
state, inputs of jobs, effects."""

from typing import Annotated
from uuid import UUID

from pydantic import Field
from starlette.responses import Response

from tenuto.db import children, maintenance, run_data, steps
from tenuto.model.jobs import InputLocation
from tenuto.model.outbox import PublishedEffect
from tenuto.model.run_data import Signal, State
from tenuto.model.tasks import TaskResult
from tenuto.sdk.values.wire_format import refuse_pickles
from tenuto.server.http.pagination import Query
from tenuto.server.http.route_table import TASK, RouteTable
from tenuto.server.requests.task import TaskRequest
from tenuto.server.schemas import task_api as responses
from tenuto.server.schemas import task_requests as requests
from tenuto.server.schemas.base import Items, Name

ROUTES = RouteTable("task API")


class OwnDataFilter(Query):
    """Selects run data; all conditions must hold."""

    keys: Annotated[list[Name], Field(max_length=1000)] | None = None
    prefix: str | None = None
    glob: str | None = None
    tags: Annotated[list[Name], Field(max_length=64)] | None = None
    all_tags: bool | None = None
    tag_prefix: str | None = None
    history: bool | None = None
    limit: Annotated[int, Field(ge=1, le=1000)] = 1000


@ROUTES.add("GET", "/v1/task/steps", permission=TASK, response=Items[responses.StepResponse])
async def get_own_steps(request: TaskRequest) -> object:
    """List the steps that attempts of the task recorded, in order."""
    async with request.fenced() as attempt:
        now = await maintenance.now(attempt.conn)
        found = await steps.get_steps(attempt.conn, org_id=request.principal.org_id, task_id=request.principal.task_id)
    return {"items": [step.seen_at(now) for step in found]}


@ROUTES.add("POST", "/v1/task/steps", permission=TASK, response=responses.ValueResponse)
async def record_own_step(request: TaskRequest, body: requests.RecordStepRequest) -> object:
    """Record the result of a step, and return it. If the step was recorded before, the recorded value is returned."""
    request.check_named(body.task_id, body.attempt)
    who = request.principal
    async with request.fenced() as attempt:
        value = await steps.record_step(
            attempt.conn,
            session_id=who.session_id,
            token=attempt.token,
            task_id=who.task_id,
            attempt=who.attempt,
            step_no=body.step_no,
            name=body.name,
            kind=body.kind,
            value=body.value,
        )
    return {"value": value}


@ROUTES.add("POST", "/v1/task/steps/fail", permission=TASK, response=None, status=204)
async def fail_own_step(request: TaskRequest, body: requests.FailStepRequest) -> Response:
    """Record that a step failed: permanently, or until it is tried again after `retry_seconds`. With `kind` child,
    record that the code handled the failure of children that the step started."""
    request.check_named(body.task_id, body.attempt)
    who = request.principal
    async with request.fenced() as attempt:
        await steps.fail_step(
            attempt.conn,
            session_id=who.session_id,
            token=attempt.token,
            task_id=who.task_id,
            attempt=who.attempt,
            step_no=body.step_no,
            name=body.name,
            error=body.error,
            tries=body.tries,
            retry_seconds=body.retry_seconds,
            kind=body.kind,
        )
    return Response(None, 204)


@ROUTES.add("POST", "/v1/task/signals", permission=TASK, response=Signal)
async def take_own_signal(request: TaskRequest, body: requests.TakeSignalRequest) -> object:
    """Receive the oldest signal with this name that was sent to the run and that no task has received. `found` is false
    if there is none. When a later attempt repeats the step, it gets the same signal."""
    request.check_named(body.task_id, body.attempt)
    who = request.principal
    async with request.fenced() as attempt:
        return await steps.take_signal(
            attempt.conn,
            session_id=who.session_id,
            token=attempt.token,
            task_id=who.task_id,
            attempt=who.attempt,
            step_no=body.step_no,
            name=body.name,
        )


@ROUTES.add("POST", "/v1/task/children", permission=TASK, response=responses.ChildrenResponse, bulk=True)
async def start_own_children(request: TaskRequest, body: requests.StartChildrenRequest) -> object:
    """Start child tasks in the run of this task."""
    request.check_named(body.task_id, body.attempt)
    refuse_pickles("the input of a child", [body.inputs, body.details])
    who = request.principal
    async with request.fenced() as attempt:
        task_ids = await children.start_children(
            attempt.conn,
            session_id=who.session_id,
            token=attempt.token,
            task_id=who.task_id,
            attempt=who.attempt,
            kinds=body.kinds,
            inputs=body.inputs,
            ids=body.ids,
            task_kinds=body.task_kinds,
            details=body.details,
            edges=body.edges,
            step_no=body.step_no,
            step_name=body.step_name,
        )
    return {"task_ids": task_ids}


@ROUTES.add("POST", "/v1/task/children/poll", permission=TASK, response=Items[TaskResult])
async def poll_own_children(request: TaskRequest, body: requests.PollTasksRequest) -> object:
    """Get the results of the tasks in `task_ids` that have ended. Tasks of other runs are omitted."""
    request.check_named(body.task_id, body.attempt)
    who = request.principal
    async with request.fenced() as attempt:
        found = await children.poll_tasks(attempt.conn, org_id=who.org_id, task_ids=body.task_ids, run_id=who.run_id)
    return {"items": found}


@ROUTES.add("GET", "/v1/task/data", permission=TASK, response=Items[responses.TaskDataResponse])
async def get_own_data(request: TaskRequest, query: OwnDataFilter) -> object:
    """Get the data of the task's run: the latest value of each key, or with `history` all values."""
    who = request.principal
    async with request.fenced() as attempt:
        found = await run_data.get_run_data(
            attempt.conn,
            org_id=who.org_id,
            run_id=who.run_id,
            keys=query.keys,
            prefix=query.prefix,
            glob=query.glob,
            tags=query.tags,
            all_tags=query.all_tags,
            tag_prefix=query.tag_prefix,
            history=query.history,
            limit=query.limit,
        )
    return {"items": found}


@ROUTES.add("PUT", "/v1/task/data", permission=TASK, response=None, status=204)
async def put_own_data(request: TaskRequest, body: requests.PutTaskDataRequest) -> Response:
    """Write values to the data of the run. They are recorded as written by this attempt."""
    request.check_named(body.task_id, body.attempt)
    who = request.principal
    async with request.fenced() as attempt:
        await run_data.put_task_data(
            attempt.conn,
            session_id=who.session_id,
            token=attempt.token,
            task_id=who.task_id,
            attempt=who.attempt,
            values=body.values,
            tags=body.tags,
            metadata=body.metadata,
        )
    return Response(None, 204)


@ROUTES.add("GET", "/v1/task/state", permission=TASK, response=Items[State])
async def get_own_state(request: TaskRequest, key: Annotated[str | None, Field(max_length=1024)] = None) -> object:
    """Get one key or all keys of the operator state, which the tasks of this type or job keep across runs."""
    who = request.principal
    async with request.fenced() as attempt:
        found = await run_data.get_task_state(
            attempt.conn,
            session_id=who.session_id,
            token=attempt.token,
            task_id=who.task_id,
            attempt=who.attempt,
            key=key,
        )
    return {"items": found}


@ROUTES.add("PUT", "/v1/task/state", permission=TASK, response=responses.VersionResponse)
async def put_own_state(request: TaskRequest, body: requests.PutStateRequest) -> object:
    """Set one key of the operator state, if it still has the version that the attempt read; otherwise 409. A repeated
    request gets the same response."""
    request.check_named(body.task_id, body.attempt)
    who = request.principal
    async with request.fenced() as attempt:
        version = await run_data.put_task_state(
            attempt.conn,
            session_id=who.session_id,
            token=attempt.token,
            task_id=who.task_id,
            attempt=who.attempt,
            key=body.key,
            value=body.value,
            version=body.version,
        )
    return {"version": version}


class InputLocationFilter(Query):
    """Selects folders of one input of the job. `after`: the last id of the previous page."""

    input: Annotated[int, Field(ge=0, le=99)]
    after: UUID | None = None


@ROUTES.add("GET", "/v1/task/inputs/locations", permission=TASK, response=Items[InputLocation])
async def list_own_input_locations(request: TaskRequest, query: InputLocationFilter) -> object:
    """List up to 1,000 folders of an input of the job that were committed when the task was created, in the order of
    their partitions. Send the request again with `after`, until the list is empty."""
    who = request.principal
    async with request.fenced() as attempt:
        found = await children.list_input_locations(
            attempt.conn,
            session_id=who.session_id,
            token=attempt.token,
            task_id=who.task_id,
            attempt=who.attempt,
            input=query.input,
            after=query.after,
        )
    return {"items": found}


@ROUTES.add("POST", "/v1/task/effects", permission=TASK, response=PublishedEffect)
async def publish_own_effect(request: TaskRequest, body: requests.PublishTaskEffectRequest) -> object:
    """Publish a side effect. If an effect with the same `key` was published before, the first effect is returned, with
    `created` false."""
    request.check_named(body.task_id, body.attempt)
    refuse_pickles("the payload of an effect", body.payload)
    who = request.principal
    async with request.fenced() as attempt:
        return await children.publish_task_effect(
            attempt.conn,
            session_id=who.session_id,
            token=attempt.token,
            task_id=who.task_id,
            attempt=who.attempt,
            kind=body.kind,
            payload=body.payload,
            key=body.key,
        )
