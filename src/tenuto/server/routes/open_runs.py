"""Open runs: add tasks and close. Held runs: release."""

from uuid import UUID

from starlette.responses import Response

from tenuto.db import runs, task_types
from tenuto.db.connection import start_statements
from tenuto.sdk.client.open_runs import add_statement, name_task
from tenuto.server.http.request import in_thread_if_large
from tenuto.server.http.route_table import RouteTable
from tenuto.server.requests.api import ApiRequest, Transaction
from tenuto.server.schemas.runs import AddedTasks, ReleasedRun
from tenuto.server.schemas.starts import Addition, NamedTaskRequest
from tenuto.server.starts.build import StartBuilder, queues_of, types_of

ROUTES = RouteTable("runs")


@ROUTES.add("POST", "/v1/runs/{run_id}/tasks", permission="runs:write", response=AddedTasks, status=201, bulk=True)
async def add_tasks(request: ApiRequest, run_id: UUID, body: Addition) -> Response:
    """Add a task or a graph of tasks to an open run. The body can have up to 64 MB. 409 if the run is not open. If the
    run already has a task with the same `id`, the task is not added again. 404 with `strict`, if no worker has ever
    served a type of the tasks, or nothing has named their queue."""
    start = await in_thread_if_large(await request.http.body(), lambda: StartBuilder().build(body))
    types = types_of(body)
    await request.http.server.input_checks.check(request, [start], types)
    if isinstance(body, NamedTaskRequest) and body.task_id is not None:
        start = name_task(start, body.task_id)

    async def work(change: Transaction) -> AddedTasks:
        if body.strict:
            await task_types.check_known(
                change.conn, org_id=change.org_id, types=sorted(types), queues=sorted(queues_of(body))
            )
        statement = add_statement(start, change.org_id, run_id)
        ids = [added.run_id for added in await start_statements.execute_start(change.conn, statement)]
        what = {"type": {"new": ", ".join(sorted(types)[:20])}, "tasks": {"new": len(ids)}}
        await change.audit("run", run_id, "add", what)
        return AddedTasks(ids=ids)

    return await request.change(work, status=201, seconds=request.settings.bulk_seconds)


@ROUTES.add("POST", "/v1/runs/{run_id}/close", permission="runs:write", response=None, status=204)
async def close_run(request: ApiRequest, run_id: UUID) -> Response:
    """Close an open run: no more tasks can be added, and the run ends when its tasks have ended. 409 if the run was
    never open, or was cancelled."""
    return await request.audited_call("run", str(run_id), "close", runs.close_run, run_id=run_id)


@ROUTES.add("POST", "/v1/runs/{run_id}/release", permission="runs:write", response=ReleasedRun)
async def release_run(request: ApiRequest, run_id: UUID) -> Response:
    """Release a run that was started or opened with `hold`: its tasks can start. A second release changes nothing. 409
    if the run was cancelled while it was held."""

    async def work(change: Transaction) -> ReleasedRun:
        released = await runs.release_run(change.conn, org_id=change.org_id, run_id=run_id)
        if released:
            await change.audit("run", run_id, "release")
        return ReleasedRun(id=run_id, released=released)

    return await request.change(work)
