"""Rows of datasets that are stored in Postgres, for attempts of jobs. Readers see the rows of an attempt when the
attempt has completed and published them."""

from typing import Annotated

from pydantic import Field
from starlette.responses import Response

from tenuto.db import children
from tenuto.model.jobs import PageOfRows
from tenuto.server.http.pagination import Query
from tenuto.server.http.route_table import TASK, RouteTable
from tenuto.server.requests.task import TaskRequest
from tenuto.server.schemas.task_requests import StageRowsRequest
from tenuto.storage.base import MAX_KEY_BYTES

ROUTES = RouteTable("task API")


class RowsFilter(Query):
    """Selects a page of the rows at one location of an input of the job."""

    input: Annotated[int, Field(ge=0, le=99)]
    location: Annotated[str, Field(max_length=MAX_KEY_BYTES)]
    page: Annotated[int, Field(ge=0, le=999)] = 0


@ROUTES.add("POST", "/v1/task/rows", permission=TASK, response=None, status=204)
async def stage_own_rows(request: TaskRequest, body: StageRowsRequest) -> Response:
    """Stage a page of rows, up to 1 MB, for an output that is stored in Postgres. Each row is a list with a text or
    null per column. The completion of the attempt must publish the same location. A repeated request changes
    nothing."""
    request.check_named(body.task_id, body.attempt)
    who = request.principal
    async with request.fenced() as attempt:
        await children.stage_rows(
            attempt.conn,
            session_id=who.session_id,
            token=attempt.token,
            task_id=who.task_id,
            attempt=who.attempt,
            output=body.output,
            location=body.location,
            page=body.page,
            rows=body.rows,
        )
    return Response(None, 204)


@ROUTES.add("GET", "/v1/task/rows", permission=TASK, response=PageOfRows)
async def read_own_rows(request: TaskRequest, query: RowsFilter) -> object:
    """Get a page of the committed rows of an input that is stored in Postgres."""
    who = request.principal
    async with request.fenced() as attempt:
        return await children.read_rows(
            attempt.conn,
            session_id=who.session_id,
            token=attempt.token,
            task_id=who.task_id,
            attempt=who.attempt,
            input=query.input,
            location=query.location,
            page=query.page,
        )
