"""Queries: one SELECT over datasets that the caller can read."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from starlette.responses import Response

from tenuto.db import datasets
from tenuto.model.ids import uuid7
from tenuto.model.jobs import PageOfRows
from tenuto.model.queries import PinnedDataset, QueryResult, VersionRead
from tenuto.query.as_of import AsOf
from tenuto.server.http.route_table import RouteTable
from tenuto.server.queries import ARROW, Csv, respond
from tenuto.server.requests.api import ApiRequest, Transaction
from tenuto.server.schemas.queries import ExportQueryRequest, QueryRequest

ROUTES = RouteTable("query")
EVERY_DATASET = "query:write"  # a caller with this permission can read every dataset of the org


@dataclass(frozen=True)
class ApiCatalog:
    """The datasets that an API key or a user can read."""

    request: ApiRequest

    async def pin(self, names: list[str], as_of: AsOf) -> Sequence[PinnedDataset]:
        return await self.request.call(
            datasets.pin_datasets,
            names=names,
            user_id=self.request.by_user,
            every=EVERY_DATASET in self.request.principal.permissions,
            dag=as_of.dag,
            dag_version=as_of.dag_version,
            version_id=as_of.version_id,
            at=as_of.at,
        )

    async def read_rows(
        self,
        number: int,  # noqa: ARG002 - required by the interface
        version_id: UUID,
        location: str,
        page: int,
    ) -> PageOfRows:
        return await self.request.call(datasets.read_dataset_rows, version_id=version_id, location=location, page=page)

    async def record(self, action: str, shape: str, versions: Sequence[VersionRead]) -> None:
        async def work(change: Transaction) -> None:
            read = [version.to_json() for version in versions]
            await change.audit("query", uuid7(), action, {"shape": {"new": shape}, "versions": {"new": read}})

        await self.request.change(work)


@ROUTES.add("POST", "/v1/query", permission="query:read", response=QueryResult, repeatable=False)
async def run_query(request: ApiRequest, body: QueryRequest) -> Response:
    """Run one SELECT over datasets by name. A user can read datasets whose `read_roles` include one of the user's
    roles. A caller with the permission `query:write`, which admins have, can read every dataset of the org. The header
    `Tenuto-Versions` and the field `versions` list the versions that were read. The query ends when the client
    disconnects."""
    return await _respond(request, body)


@ROUTES.add("POST", "/v1/query/export", permission="query:read", response_class=Csv, responses=ARROW, repeatable=False)
async def export_query(request: ApiRequest, body: ExportQueryRequest) -> Response:
    """Run one SELECT, as in `/v1/query`, and get its rows as CSV or as an Arrow stream."""
    return await _respond(request, body)


async def _respond(request: ApiRequest, body: QueryRequest) -> Response:
    principal = request.principal
    return await respond(
        request.http,
        body.query(),
        ApiCatalog(request),
        org_id=principal.org_id,
        caller=f"{principal.kind}:{principal.id}",
    )
