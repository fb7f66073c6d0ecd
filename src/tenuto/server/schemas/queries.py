"""Request and response bodies of queries."""

from typing import Annotated
from uuid import UUID

from pydantic import Field

from tenuto.model.json import Json
from tenuto.model.queries import QueryFormat
from tenuto.query.limits import DEFAULT_ROWS, MAX_ROWS, MAX_SQL_CHARS
from tenuto.query.service import Query
from tenuto.server.schemas.base import WHOLE, RequestModel, ResponseModel


class QueryRequest(RequestModel):
    """One SELECT over datasets by name. `as_of`: a version of the DAG (2), DAG@VERSION (shop@2), the id of a dataset
    version, or a time with its zone; by default what is current. `format`: of the response. `max_rows`: JSON has up to
    this many rows and says so in `truncated`; other formats end without their last part if there are more."""

    sql: Annotated[str, Field(min_length=1, max_length=MAX_SQL_CHARS)]
    as_of: Annotated[str, Field(min_length=1, max_length=160)] | None = None
    format: QueryFormat = "json"
    max_rows: Annotated[int, Field(ge=1, le=MAX_ROWS), WHOLE] = DEFAULT_ROWS

    def query(self) -> Query:
        return Query(self.sql, self.as_of, self.format, self.max_rows)


class VersionReadResponse(ResponseModel):
    """The version of a dataset that a query read."""

    dataset: str
    version_id: UUID | None
    dag: str
    dag_version: int | None


class QueryColumnResponse(ResponseModel):
    """A column of a result, with its Arrow type."""

    name: str
    type: str


class QueryResponse(ResponseModel):
    """The result of a query: a list per row, with a value per column. Decimal fractions, times and ids are texts, bytes
    are base64."""

    versions: list[VersionReadResponse]
    columns: list[QueryColumnResponse]
    rows: list[list[Json]]
    row_count: int
    truncated: bool
