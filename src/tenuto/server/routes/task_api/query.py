"""Queries of attempts of jobs. They read the inputs of the job as they were when the task was created."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from starlette.responses import Response

from tenuto.model.queries import QueryResult
from tenuto.query.job_inputs import HeldAttempt, JobCatalog
from tenuto.sdk.values.data_objects import AttemptFence
from tenuto.server.http.route_table import TASK, RouteTable
from tenuto.server.queries import ARROW, Csv, respond
from tenuto.server.requests.task import TaskRequest
from tenuto.server.schemas.queries import TaskExportQueryRequest, TaskQueryRequest

ROUTES = RouteTable("task API")


@ROUTES.add("POST", "/v1/task/query", permission=TASK, response=QueryResult)
async def query_own_inputs(request: TaskRequest, body: TaskQueryRequest) -> Response:
    """Run one SELECT over the inputs of the job, which are tables with the names of the inputs. It reads them as they
    were when the task was created. The code of a bundle can query the inputs of the job that runs it."""
    return await _respond(request, body)


@ROUTES.add("POST", "/v1/task/query/export", permission=TASK, response_class=Csv, responses=ARROW)
async def export_own_inputs(request: TaskRequest, body: TaskExportQueryRequest) -> Response:
    """Run one SELECT, as in `/v1/task/query`, and get its rows as CSV or as an Arrow stream."""
    return await _respond(request, body)


async def _respond(request: TaskRequest, body: TaskQueryRequest | TaskExportQueryRequest) -> Response:
    request.check_named(body.task_id, body.attempt)
    who = request.principal

    @asynccontextmanager
    async def connect() -> AsyncGenerator[HeldAttempt]:
        async with request.fenced() as attempt:
            fence: AttemptFence = {
                "session_id": who.session_id,
                "token": attempt.token,
                "task_id": who.task_id,
                "attempt": who.attempt,
            }
            yield HeldAttempt(attempt.conn, fence)

    catalog = JobCatalog(who.org_id, connect, request.http.origin())
    return await respond(request.http, body.query(), catalog, org_id=who.org_id, caller=f"task:{who.task_id}")
