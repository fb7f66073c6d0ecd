"""Runs: start, list, wait, cancel, retry, delete, signal."""

from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel
from starlette.responses import Response

from tenuto.db import monitoring, runs
from tenuto.db.connection.json_rows import get_run_json, poll_runs_json
from tenuto.model.monitoring import RunResult, RunSummary
from tenuto.server.http.etags import fields_of, tagged
from tenuto.server.http.pagination import SortedFilter, page
from tenuto.server.http.route_table import RouteTable
from tenuto.server.limits.long_poll import FINAL, Wait, poll_until_any
from tenuto.server.requests.api import ApiRequest, Transaction
from tenuto.server.schemas import runs as schemas
from tenuto.server.schemas.base import (
    CancelRequest,
    IdResponse,
    Items,
    Page,
    ReasonRequest,
    RetryRequest,
    SignalRequest,
    WaitForRunsRequest,
)
from tenuto.server.schemas.starts import AnyStart, Starts
from tenuto.server.starts import start_runs as starting
from tenuto.server.starts.inputs import refuse_reserved

ROUTES = RouteTable("runs")
ACCEPTED: dict[int, dict[str, Any]] = {
    202: {
        "model": schemas.RunResponse,
        "description": "accepted: dispatchers process the large run in pieces; `progress` counts the tasks done",
    }
}
RUN = fields_of(schemas.RunResponse)


class RunFilter(SortedFilter):
    """Selects runs; a filter by status or type searches at most 10,000 runs."""

    status: Literal["pending", "running", "retrying", "completed", "failed", "cancelled"] | None = None
    name: str | None = None
    type: str | None = None


@ROUTES.add("POST", "/v1/runs", permission="runs:write", response=schemas.StartedRun | schemas.StartedRuns, status=201)
async def start_runs(request: ApiRequest, body: AnyStart) -> Response:
    """Start a task, a graph of tasks, or a list of them, all or none. A task of a type that no worker serves waits for
    such a worker; with `strict` it is rejected."""
    return await starting.start_runs(request, body)


@ROUTES.add("POST", "/v1/runs/bulk", permission="runs:write", response=schemas.StartedRuns, status=201, bulk=True)
async def start_runs_in_bulk(request: ApiRequest, body: Starts) -> Response:
    """Start up to 10,000 tasks or graphs, all or none. The body can have up to 64 MB."""
    return await starting.start_runs(request, body)


@ROUTES.add("GET", "/v1/runs", permission="runs:read", response=Page[RunSummary])
async def list_runs(request: ApiRequest, query: RunFilter) -> Any:
    """List the org's runs, newest or oldest first."""
    return page(await request.ask(monitoring.list_runs, **query.params()), query, "id")


@ROUTES.add("GET", "/v1/runs/{run_id}", permission="runs:read", response=schemas.RunResponse)
async def get_run(request: ApiRequest, run_id: UUID, wait: Wait = 0) -> Response:
    """Get a run, or with `wait` get it as soon as it has ended. 304 if it still matches `If-None-Match`."""
    found = await request.ask(get_run_json, run_id=run_id, fields=RUN)
    if wait and found.status not in FINAL:
        await _ends(request, [run_id], wait)
        found = await request.ask(get_run_json, run_id=run_id, fields=RUN)
    return tagged(request.http, found.text)


@ROUTES.add("POST", "/v1/runs/wait", permission="runs:read", response=Items[RunResult])
async def wait_for_runs(request: ApiRequest, body: WaitForRunsRequest) -> Response:
    """Return runs that have ended, as soon as there is one: with about 16 MB of outputs at most, at least one run. Wait
    again for the others. `output_omitted`: the outputs of the run have more than 16 MB; each task shows its own."""
    ended = await _ends(request, body.run_ids, body.wait)
    return Response(f'{{"items":[{",".join(ended)}]}}', media_type="application/json")


async def _ends(request: ApiRequest, run_ids: list[UUID], wait: float) -> list[str]:
    # poll_runs counts what ended since the dispatcher's last round.
    return await poll_until_any(request, lambda: request.ask(poll_runs_json, run_ids=run_ids), wait)


@ROUTES.add("PATCH", "/v1/runs/{run_id}", permission="runs:write", response=None, status=204, responses=ACCEPTED)
async def update_run(request: ApiRequest, run_id: UUID, body: CancelRequest) -> Response:
    """Cancel a run: `cancelled` is the only status that can be set. A final run stays as it is."""
    return await _cancel(request, run_id, body.reason)


@ROUTES.add("POST", "/v1/runs/{run_id}/cancel", permission="runs:write", response=None, status=204, responses=ACCEPTED)
async def cancel_run(request: ApiRequest, run_id: UUID, body: ReasonRequest | None = None) -> Response:
    """Cancel a run and everything below it. 202: the run is large; dispatchers cancel its tasks in pieces."""
    return await _cancel(request, run_id, body.reason if body else None)


async def _cancel(request: ApiRequest, run_id: UUID, reason: str | None) -> Response:
    async def work(change: Transaction) -> schemas.RunResponse | None:
        done = await runs.cancel_run(change.conn, org_id=change.org_id, run_id=run_id, reason=reason)
        await change.note("run", run_id, "cancel", {"reason": {"new": reason}} if reason else None)
        return None if done else await _run(change, run_id)

    return await request.change(work, status=_status)


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
    """Start a new run of the same graph, and return it. Completed tasks keep their outputs unless `reuse` is false.
    202: the run is large, and dispatchers copy its tasks in batches; `progress` says how many are done."""

    async def work(change: Transaction) -> schemas.RunResponse:
        new = await runs.retry_run(change.conn, org_id=change.org_id, run_id=run_id, reuse=body.reuse if body else True)
        await change.note("run", run_id, "retry", {"retried_as": {"new": str(new)}})
        return await _run(change, new)

    return await request.change(
        work, status=lambda run: 202 if isinstance(run, schemas.RunResponse) and run.progress else 201
    )


@ROUTES.add("DELETE", "/v1/runs/{run_id}", permission="runs:write", response=None, status=204, responses=ACCEPTED)
async def delete_run(request: ApiRequest, run_id: UUID) -> Response:
    """Delete a final run with all its data. 202: the run is large; it is gone, and dispatchers delete its tasks in
    pieces."""

    async def work(change: Transaction) -> schemas.RunResponse | None:
        found = await _run(change, run_id)
        done = await runs.delete_run(change.conn, org_id=change.org_id, run_id=run_id)
        await change.note("run", run_id, "delete")
        if done:
            return None
        (progress,) = await runs.get_request(change.conn, org_id=change.org_id, run_id=run_id)
        return found.model_copy(update={"progress": schemas.RunProgress.model_validate(progress)})

    return await request.change(work, status=_status)


@ROUTES.add("POST", "/v1/runs/{run_id}/signals", permission="runs:write", response=IdResponse, status=201)
async def send_signal(request: ApiRequest, run_id: UUID, body: SignalRequest) -> Response:
    """Send a signal to a run. A task that waits for it now or later receives it."""
    refuse_reserved(f"signal {body.name}", body.value)

    async def work(change: Transaction) -> IdResponse:
        sent = await runs.send_signal(
            change.conn, org_id=change.org_id, run_id=run_id, name=body.name, value=body.value
        )
        await change.note("run", run_id, "signal", {"name": {"new": body.name}})
        return IdResponse(id=sent)

    return await request.change(work, status=201)
