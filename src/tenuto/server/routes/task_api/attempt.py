"""Calls of a running attempt, authenticated by its token and fenced by that attempt."""

import json
from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from pydantic import Field
from starlette.responses import Response

from tenuto.db import attempts, run_data
from tenuto.model.tasks import FailureCount, ReportResult
from tenuto.sdk.values.wire_format import refuse_pickles
from tenuto.server.http.route_table import TASK, RouteTable
from tenuto.server.requests.task import TaskRequest
from tenuto.server.schemas import task_api as responses
from tenuto.server.schemas import task_requests as requests
from tenuto.server.schemas.base import Items
from tenuto.server.schemas.worker_claims import publications
from tenuto.server.schemas.worker_sessions import HeldTaskResponse

ROUTES = RouteTable("task API")


@ROUTES.add("GET", "/v1/task", permission=TASK, response=HeldTaskResponse)
async def get_own_task(request: TaskRequest) -> object:
    """Get the attempt's task: its input, and the slots that other tasks filled."""
    async with request.fenced() as attempt:
        return await attempt.task()


@ROUTES.add("GET", "/v1/task/failures", permission=TASK, response=FailureCount)
async def get_own_failures(request: TaskRequest) -> object:
    """Get how many attempts of the task have failed so far, and how many were lost."""
    who = request.principal
    async with request.fenced() as attempt:
        return await attempts.get_failures(attempt.conn, org_id=who.org_id, task_id=who.task_id)


@ROUTES.add("GET", "/v1/task/inputs", permission=TASK, response=Items[responses.InputPartResponse])
async def get_own_inputs(request: TaskRequest, first: Annotated[int, Field(ge=0, le=1_000_000)] = 0) -> Response:
    """Get the inputs that were too large for the response to the claim. With `first` 0, these are the input, the
    metadata and the slots; otherwise only the slots from number `first` on. A response has about 16 MB. Send the
    request again from the next slot on, until all slots are read."""
    who = request.principal
    async with request.fenced() as attempt:
        parts = await attempts.get_inputs(
            attempt.conn,
            session_id=who.session_id,
            token=attempt.token,
            task_id=who.task_id,
            attempt=who.attempt,
            first=first,
        )
    items = ",".join(
        f'{{"part":"{part}","slot_no":{json.dumps(slot_no)},"value":{value or "null"}}}'
        for part, slot_no, value in parts
    )
    return Response(f'{{"items":[{items}]}}', media_type="application/json")


@ROUTES.add("POST", "/v1/task/logs", permission=TASK, response=None, status=204)
async def write_own_logs(request: TaskRequest, body: requests.WriteLogsRequest) -> Response:
    """Write lines to the attempt's log."""
    request.check_named(body.task_id, body.attempt)
    who = request.principal
    writer = {"task_id": str(who.task_id), "attempt": who.attempt}
    lines = [{**line.model_dump(mode="json", exclude_none=True), **writer} for line in body.lines]
    async with request.fenced() as attempt:
        await run_data.write_logs(attempt.conn, session_id=who.session_id, token=attempt.token, lines=lines)
    return Response(None, 204)


@ROUTES.add("POST", "/v1/task/heartbeat", permission=TASK, response=responses.AttemptStateResponse)
async def beat_own_task(request: TaskRequest, body: requests.TaskHeartbeatRequest | None = None) -> object:
    """Report that the code is alive. This does not renew the lease: the worker does that."""
    progress = requests.ProgressRequest()
    if body is not None:
        progress = requests.ProgressRequest(task_id=body.task_id, attempt=body.attempt)
    return await _report(request, progress)


@ROUTES.add("POST", "/v1/task/progress", permission=TASK, response=responses.AttemptStateResponse)
async def report_own_progress(request: TaskRequest, body: requests.ProgressRequest) -> object:
    """Report the progress of the attempt."""
    return await _report(request, body)


async def _report(request: TaskRequest, body: requests.ProgressRequest) -> dict[str, bool]:
    request.check_named(body.task_id, body.attempt)
    who = request.principal
    async with request.fenced() as attempt:
        rejected = await attempts.report_progress(
            attempt.conn,
            session_id=who.session_id,
            token=attempt.token,
            task_ids=[who.task_id],
            attempts=[who.attempt],
            progress=[body.progress],
            messages=[body.message],
        )
        if any(report.result == "stale_lease" for report in rejected):
            raise attempt.stale()
    return {"cancelled": bool(rejected)}


@ROUTES.add("POST", "/v1/task/complete", permission=TASK, response=responses.ReportResponse)
async def complete_own_task(request: TaskRequest, body: requests.CompleteRequest) -> object:
    """Complete the task. A repeated report gets the same response."""
    refuse_pickles("the output", body.output)
    published = None if body.published is None else [publications(body.published)]
    return await _end(request, body, attempts.complete_tasks, outputs=[body.output], published=published)


@ROUTES.add("POST", "/v1/task/fail", permission=TASK, response=responses.ReportResponse)
async def fail_own_task(request: TaskRequest, body: requests.FailRequest) -> object:
    """Report a failure; the task is retried if it has attempts left."""
    return await _end(request, body, attempts.fail_tasks, errors=[body.error], retries=[body.retry_in_seconds])


@ROUTES.add("POST", "/v1/task/snooze", permission=TASK, response=responses.ReportResponse)
async def snooze_own_task(request: TaskRequest, body: requests.SnoozeRequest) -> object:
    """Run the task again after a number of seconds, without counting an attempt."""
    return await _end(request, body, attempts.snooze_tasks, seconds=[body.seconds])


@ROUTES.add("POST", "/v1/task/wait", permission=TASK, response=responses.ReportResponse)
async def wait_own_task(request: TaskRequest, body: requests.WaitTaskRequest) -> object:
    """Wait for children, a signal or a time. The task holds no worker while it waits."""
    return await _end(request, body, attempts.wait_tasks, waits=[body.wait])


async def _end(
    request: TaskRequest,
    body: requests.TaskApiRequest,
    report: Callable[..., Awaitable[list[ReportResult]]],
    **values: Any,
) -> dict[str, str]:
    request.check_named(body.task_id, body.attempt)
    who = request.principal
    async with request.fenced(held=False) as attempt:
        (reported,) = await report(
            attempt.conn,
            session_id=who.session_id,
            token=attempt.token,
            task_ids=[who.task_id],
            attempts=[who.attempt],
            **values,
        )
        if reported.result == "stale_lease":
            raise attempt.stale()
    return {"result": reported.result}
