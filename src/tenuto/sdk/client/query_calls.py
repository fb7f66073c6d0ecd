"""Queries over datasets: `await tn.query("select count(*) from orders", as_of="shop@2")`."""

import json
from abc import ABC, abstractmethod
from importlib import import_module
from typing import TYPE_CHECKING, cast

from tenuto.model.json import JsonObject
from tenuto.model.queries import (
    DEFAULT_ROWS,
    QUERY_SECONDS,
    VERSIONS_HEADER,
    QueryFormat,
    QueryResult,
    VersionRead,
    cut_result,
)
from tenuto.sdk.client.loop_thread import Wait
from tenuto.sdk.client.sql_transport import SqlTransport
from tenuto.sdk.client.transport import Transport

if TYPE_CHECKING:
    from tenuto.sdk.client.http_client import Http

# Imported by name, because the module belongs to a higher layer. It starts processes, which only clients that are
# connected to a database need.
LOCAL = "tenuto.query.local"


class QueryCalls(ABC):
    """Runs queries."""

    transport: Transport

    @property
    @abstractmethod
    def _server(self) -> "Http": ...

    async def query(self, sql: str, *, as_of: str | None = None, max_rows: int = DEFAULT_ROWS) -> QueryResult:
        """Run one SELECT, whose tables are datasets, and return its rows. `as_of`: a version of the DAG ("2"),
        DAG@VERSION ("shop@2"), the id of a dataset version, or a time with its timezone. By default, the current
        versions are read. The result says which versions were read, and whether there are more rows than `max_rows`."""
        return read_result((await self._run_query(sql, as_of, "json", max_rows))[1])

    async def export_query(
        self, sql: str, *, format: QueryFormat, as_of: str | None = None, max_rows: int = DEFAULT_ROWS
    ) -> bytes:
        """Run one SELECT, as `query` does, and return the result as CSV, JSON, or an Arrow stream. More rows than
        `max_rows` are an error, except in JSON."""
        return (await self._run_query(sql, as_of, format, max_rows))[1]

    async def _run_query(
        self, sql: str, as_of: str | None, format: QueryFormat, max_rows: int
    ) -> tuple[list[VersionRead], bytes]:
        transport = self.transport
        if not isinstance(transport, SqlTransport):
            return await send_query(self._server, sql=sql, as_of=as_of, format=format, max_rows=max_rows)
        return await import_module(LOCAL).run_local(
            transport.pool,
            transport.org_id,
            transport.store,
            sql=sql,
            as_of=as_of,
            format=format,
            max_rows=max_rows,
            weak=transport.weak_queries,
        )


async def send_query(
    http: "Http", *, sql: str, as_of: str | None, format: QueryFormat, max_rows: int
) -> tuple[list[VersionRead], bytes]:
    """Run a query on a server; return the versions that it read, and the whole response."""
    body = {"sql": sql, "as_of": as_of, "max_rows": max_rows} | ({} if format == "json" else {"format": format})
    response = await http.send(
        "POST",
        "/v1/query" if format == "json" else "/v1/query/export",
        json.dumps(body).encode(),
        wait=QUERY_SECONDS,
        headers={"Content-Type": "application/json"},
        cut=cut_result(),
    )
    versions = cast("list[JsonObject]", json.loads(response.headers[VERSIONS_HEADER]))
    return [VersionRead.from_json(item) for item in versions], response.content


def read_result(content: bytes) -> QueryResult:
    """Return a result that was sent as JSON."""
    return QueryResult.from_json(json.loads(content))


class SyncQueryCalls(ABC):
    """Runs queries, for synchronous code."""

    wait_for: Wait

    @property
    @abstractmethod
    def client(self) -> QueryCalls:
        """The asynchronous client that makes the calls."""

    def query(self, sql: str, *, as_of: str | None = None, max_rows: int = DEFAULT_ROWS) -> QueryResult:
        """Run one SELECT, whose tables are datasets, and return its rows. `as_of`: a version of the DAG ("2"),
        DAG@VERSION ("shop@2"), the id of a dataset version, or a time with its timezone. By default, the current
        versions are read."""
        return self.wait_for(self.client.query(sql, as_of=as_of, max_rows=max_rows))

    def export_query(
        self, sql: str, *, format: QueryFormat, as_of: str | None = None, max_rows: int = DEFAULT_ROWS
    ) -> bytes:
        """Run one SELECT, as `query` does, and return the result as CSV, JSON, or an Arrow stream."""
        return self.wait_for(self.client.export_query(sql, format=format, as_of=as_of, max_rows=max_rows))
