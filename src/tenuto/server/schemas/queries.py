"""The request body of queries."""

from typing import Annotated

from pydantic import Field

from tenuto.model.queries import DEFAULT_ROWS, ExportFormat
from tenuto.query.limits import MAX_ROWS, MAX_SQL_CHARS
from tenuto.query.service import QueryInput
from tenuto.server.schemas.base import WHOLE, RequestModel
from tenuto.server.schemas.task_requests import TaskApiRequest


class QueryRequest(RequestModel):
    """One SELECT over datasets, which are tables with the names of the datasets. `as_of`: which state of the data to
    read: a version of the DAG (2), DAG@VERSION (shop@2), the id of a dataset version, or a time with its zone; by
    default the current state. `max_rows`: the maximum number of rows. If there are more, the response has the first
    rows and sets `truncated`."""

    sql: Annotated[str, Field(min_length=1, max_length=MAX_SQL_CHARS)]
    as_of: Annotated[str, Field(min_length=1, max_length=160)] | None = None
    max_rows: Annotated[int, Field(ge=1, le=MAX_ROWS), WHOLE] = DEFAULT_ROWS

    def query(self) -> QueryInput:
        return QueryInput(self.sql, self.as_of, "json", self.max_rows)


class ExportQueryRequest(QueryRequest):
    """As QueryRequest, with the `format` of the response. If there are more than `max_rows` rows, the response ends
    without its last part."""

    format: ExportFormat

    def query(self) -> QueryInput:
        return QueryInput(self.sql, self.as_of, self.format, self.max_rows)


class TaskQueryRequest(QueryRequest, TaskApiRequest):
    """A query of an attempt over the inputs of its job."""


class TaskExportQueryRequest(ExportQueryRequest, TaskApiRequest):
    """A query of an attempt over the inputs of its job, with the `format` of the response."""
