"""Runs: list, wait, explain, cancel, retry, delete, signal."""

from typing import Annotated, Any
from uuid import UUID

from pydantic import BaseModel, Field
from starlette.responses import Response

from tenuto.db import counts, details, metadata, monitoring, runs
from tenuto.db.connection.json_rows import get_run_json, poll_runs_json
from tenuto.model.details import RunExplanation
from tenuto.model.errors import InvalidInput
from tenuto.model.monitoring import FINAL, RunInput, RunResult, RunSummary
from tenuto.model.run_data import AwaitedSignal
from tenuto.model.statuses import RunStatusName
from tenuto.sdk.client import signals
from tenuto.sdk.values.wire_format import refuse_reserved
from tenuto.server.http.etags import fields_of, tagged
from tenuto.server.http.pagination import CountedFilter, Filter, page
from tenuto.server.http.route_table import IF_NONE_MATCH, NOT_MODIFIED, RouteTable
from tenuto.server.limits.long_poll import Wait, poll_until_any
from tenuto.server.requests.api import ApiRequest, Transaction
from tenuto.server.schemas import runs as schemas
from tenuto.server.schemas.base import (
    CountedPage,
    IdResponse,
    Items,
    Page,
    ReasonRequest,
    RetryRequest,
    SignalRequest,
    UpdateRequest,
    WaitForRunsRequest,
)

ROUTES = RouteTable("runs")
ACCEPTED: dict[int, dict[str, Any]] = {
    202: {
        "model": schemas.RunResponse,
        "description": "accepted: dispatchers process the large run in pieces; `progress` counts the tasks done",
    }
}
RUN = fields_of(schemas.RunResponse)


class RunFilter(CountedFilter):
    """Selects runs. A filter by type, by the status `completed`, by a status together with `sort=created_at`, or by
    metadata together with another filter searches at most 10,000 runs. `status`: can be sent several times, for runs in
    any of these statuses. `dedupe_key`: only the run with this key among the runs of the `type` or `name`. `since`:
    only runs created at that time or later. `until`: only runs created before that time. `metadata`: a JSON object that
    the metadata of the run must contain. `count`: also return how many runs match, exactly up to 10,000 and estimated
    above."""

    status: Annotated[list[RunStatusName], Field(max_length=6)] | None = None
    name: str | None = None
    type: str | None = None
    dedupe_key: str | None = None


class InputFilter(Filter):
    """Selects inputs in the order of their positions. `after`: the last position of the previous page."""

    after: Annotated[int, Field(ge=-1, le=2_147_483_647)] = -1


@ROUTES.add("GET", "/v1/runs", permission="runs:read", response=CountedPage[RunSummary])
async def list_runs(request: ApiRequest, query: RunFilter) -> object:
    """List the org's runs, newest or oldest first."""
    found = page(await request.call_with(query, monitoring.list_runs), query, "id")
    if not query.count:
        return found
    if query.dedupe_key is not None:
        raise InvalidInput("count cannot be combined with dedupe_key", "a dedupe key finds one run at most")
    return {**found, "total": await request.call_with(query.conditions(), counts.count_runs)}


@ROUTES.add(
    "GET",
    "/v1/runs/{run_id}",
    permission="runs:read",
    response=schemas.RunResponse,
    headers=(IF_NONE_MATCH,),
    responses=NOT_MODIFIED,
)
async def get_run(request: ApiRequest, run_id: UUID, wait: Wait = 0) -> Response:
    """Get a run. With `wait`, the response comes when the run has ended, or after that many seconds. 304 if
    `If-None-Match` has the current ETag of the run."""
    found = await request.call(get_run_json, run_id=run_id, fields=RUN)
    if wait and found.status not in FINAL:
        await _ends(request, [run_id], wait)
        found = await request.call(get_run_json, run_id=run_id, fields=RUN)
    return tagged(request.http, found.text)


@ROUTES.add("GET", "/v1/runs/{run_id}/inputs", permission="tasks:read", response=Page[RunInput])
async def list_run_inputs(request: ApiRequest, run_id: UUID, query: InputFilter) -> object:
    """List the inputs of a run: the inputs of its tasks that depend on no other task, in the order of the graph. An
    input of more than 1 KB is omitted; `input_bytes` is its size."""
    return page(await request.call_with(query, monitoring.list_run_inputs, run_id=run_id), query, "position")


@ROUTES.add("GET", "/v1/runs/{run_id}/why", permission="tasks:read", response=RunExplanation)
async def explain_run(request: ApiRequest, run_id: UUID) -> object:
    """Explain, for at most 20 unfinished tasks of a run, why they do not run: one sentence per task. `parked` lists the
    rows of the run that a loop of the dispatchers failed to process."""
    return await request.read(details.explain_run, run_id=run_id)


@ROUTES.add("GET", "/v1/runs/{run_id}/awaited-signals", permission="runs:read", response=Items[AwaitedSignal])
async def list_awaited_signals(request: ApiRequest, run_id: UUID) -> object:
    """List the signals that tasks of a run wait for now, at most 100, with the type of the value if the task declares
    it."""
    return {"items": await request.call(monitoring.list_awaited_signals, run_id=run_id)}


@ROUTES.add("POST", "/v1/runs/wait", permission="runs:read", response=Items[RunResult], repeatable=False)
async def wait_for_runs(request: ApiRequest, body: WaitForRunsRequest) -> Response:
    """Wait until at least one of the runs has ended, and return those that have ended. If none ends within `wait`
    seconds, the list is empty. A response has at most about 16 MB of outputs, but at least one ended run: send the
    request again for the other runs. `output_omitted`: the outputs of the run have more than 16 MB; get the output of
    each task instead."""
    ended = await _ends(request, body.run_ids, body.wait)
    return Response(f'{{"items":[{",".join(ended)}]}}', media_type="application/json")


async def _ends(request: ApiRequest, run_ids: list[UUID], wait: float) -> list[str]:
    # poll_runs also counts tasks that ended after the dispatcher last counted them, so it sees the end of a run at
    # once.
    return await poll_until_any(request, lambda: request.call(poll_runs_json, run_ids=run_ids), wait)


@ROUTES.add("PATCH", "/v1/runs/{run_id}", permission="runs:write", response=None, status=204, responses=ACCEPTED)
async def update_run(request: ApiRequest, run_id: UUID, body: UpdateRequest) -> Response:
    """Set keys of a run's metadata, or cancel the run, or both. The metadata of an ended run can be set too."""

    async def work(change: Transaction) -> schemas.RunResponse | None:
        if body.metadata is not None:
            await metadata.set_run_metadata(change.conn, org_id=change.org_id, run_id=run_id, changes=body.metadata)
            await change.audit("run", run_id, "set", {"metadata": {"new": body.metadata}})
        return await _cancel_in(change, run_id, body.reason) if body.status else None

    return await request.change(work, status=_status)


@ROUTES.add("POST", "/v1/runs/{run_id}/cancel", permission="runs:write", response=None, status=204, responses=ACCEPTED)
async def cancel_run(request: ApiRequest, run_id: UUID, body: ReasonRequest | None = None) -> Response:
    """Cancel a run with all of its tasks. 409 if the run has ended. 202: the run is large, and dispatchers cancel its
    tasks, a part at a time."""
    return await _cancel(request, run_id, body.reason if body else None)


async def _cancel(request: ApiRequest, run_id: UUID, reason: str | None) -> Response:
    return await request.change(lambda change: _cancel_in(change, run_id, reason), status=_status)


async def _cancel_in(change: Transaction, run_id: UUID, reason: str | None) -> schemas.RunResponse | None:
    done = await runs.cancel_run(change.conn, org_id=change.org_id, run_id=run_id, reason=reason)
    await change.audit("run", run_id, "cancel", {"reason": {"new": reason}} if reason else None)
    return None if done else await _run(change, run_id)


def _status(made: BaseModel | None) -> int:
    return 204 if made is None else 202


async def _run(change: Transaction, run_id: UUID) -> schemas.RunResponse:
    return schemas.RunResponse.model_validate(
        await monitoring.get_run(change.conn, org_id=change.org_id, run_id=run_id)
    )


@ROUTES.add(
    "POST",
    "/v1/runs/{run_id}/retry",
    permission="runs:write",
    response=schemas.RunResponse,
    status=201,
    responses=ACCEPTED,
)
async def retry_run(request: ApiRequest, run_id: UUID, body: RetryRequest | None = None) -> Response:
    """Start a new run of the same graph, and return it. Completed tasks keep their outputs, unless `reuse` is false or
    they depend on a task that runs again. 409 if the run has not ended, has no task to run again, or if tasks of it
    were deleted. Also 409 if it was retried before, unless `force` is true. 202: the run is large, and dispatchers copy
    its tasks in batches; `progress` is how many tasks they have copied."""

    options = body or RetryRequest()

    async def work(change: Transaction) -> schemas.RunResponse:
        new = await runs.retry_run(
            change.conn,
            org_id=change.org_id,
            run_id=run_id,
            reuse=options.reuse,
            force=options.force,
            from_name=options.from_,
        )
        await change.audit("run", run_id, "retry", {"retried_as": {"new": str(new)}})
        return await _run(change, new)

    return await request.change(
        work, status=lambda run: 202 if isinstance(run, schemas.RunResponse) and run.progress else 201
    )


@ROUTES.add(
    "POST",
    "/v1/tasks/{task_id}/retry",
    permission="runs:write",
    response=schemas.RunResponse,
    status=201,
    responses=ACCEPTED,
)
async def retry_task(request: ApiRequest, task_id: UUID, body: RetryRequest | None = None) -> Response:
    """Retry the ended run of a task as a new run, and return the new run. Completed tasks keep their outputs unless
    `reuse` is false. 409 if the run was retried before, unless `force` is true."""
    task = await request.call(monitoring.get_task, task_id=task_id)
    return await retry_run(request, task.run_id, body)


@ROUTES.add("DELETE", "/v1/runs/{run_id}", permission="runs:delete", response=None, status=204, responses=ACCEPTED)
async def delete_run(request: ApiRequest, run_id: UUID) -> Response:
    """Delete an ended run with all its data. 409 if the run has not ended, or a retry still copies its tasks. 202: the
    run is large. The run itself is deleted now, and dispatchers delete its tasks, a part at a time."""

    async def work(change: Transaction) -> schemas.RunResponse | None:
        found = await _run(change, run_id)
        done = await runs.delete_run(change.conn, org_id=change.org_id, run_id=run_id)
        await change.audit("run", run_id, "delete")
        if done:
            return None
        (progress,) = await runs.get_request(change.conn, org_id=change.org_id, run_id=run_id)
        return found.model_copy(update={"progress": progress.progress})

    return await request.change(work, status=_status)


@ROUTES.add("POST", "/v1/runs/{run_id}/signals", permission="runs:write", response=IdResponse, status=201)
async def send_signal(request: ApiRequest, run_id: UUID, body: SignalRequest) -> Response:
    """Send a signal to a run. A task of the run that waits for the signal, now or later, receives it. 422 if a task
    waits for the signal and declares a type that the value does not have."""
    refuse_reserved(f"signal {body.name}", body.value)

    async def work(change: Transaction) -> IdResponse:
        sent = await signals.send_signal(
            change.conn, org_id=change.org_id, run_id=run_id, name=body.name, value=body.value
        )
        await change.audit("run", run_id, "signal", {"name": {"new": body.name}})
        return IdResponse(id=sent)

    return await request.change(work, status=201)
