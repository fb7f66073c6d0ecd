"""Repairs of datasets: start, list and get invalidations, find missing partitions."""

from typing import Annotated
from uuid import UUID

from pydantic import Field
from starlette.responses import Response

from tenuto.db import backfills
from tenuto.model.invalidations import Invalidation, InvalidationScope
from tenuto.model.json import Json
from tenuto.model.reconciliation import Reconciliation
from tenuto.sdk.operations import sql_repairs
from tenuto.server.http.pagination import Filter, PathName, page
from tenuto.server.http.route_table import RouteTable
from tenuto.server.requests.api import ApiRequest, Transaction
from tenuto.server.schemas.base import Name, Page, RequestModel

ROUTES = RouteTable("invalidations")


class InvalidationFilter(Filter):
    """Selects invalidations, newest first. `dataset`: only invalidations of this dataset. `before`: the last id of the
    previous page."""

    dataset: Annotated[str, Field(max_length=128)] | None = None
    before: UUID | None = None


class ReconcileFilter(Filter):
    """`after`: `next` of the previous page, to continue a search."""

    after: Annotated[str, Field(max_length=300)] | None = None


class InvalidateRequest(RequestModel):
    """An invalidation of the partitions from `first` to `last`, both included, or of a list of `partitions`.
    `row_filter` says which rows changed. It is passed to the tasks."""

    reason: Annotated[str, Field(min_length=1, max_length=1024)]
    first: Name | None = None
    last: Name | None = None
    partitions: Annotated[list[Name], Field(min_length=1, max_length=1000)] | None = None
    row_filter: dict[str, Json] | None = None


@ROUTES.add("POST", "/v1/datasets/{name}/invalidate", permission="datasets:write", response=Invalidation, status=201)
async def invalidate_dataset(request: ApiRequest, name: PathName, body: InvalidateRequest) -> Response:
    """Invalidate partitions of a dataset: every job that reads it gets a task for each of these partitions that is
    committed, even if their data has not changed."""
    scope = InvalidationScope(name, body.reason, body.first, body.last, body.partitions, body.row_filter)

    async def work(change: Transaction) -> Invalidation:
        started = await sql_repairs.invalidate_dataset(
            change.conn, org_id=change.org_id, scope=scope, actor=str(request.principal.id)
        )
        changes = {"invalidation": {"new": str(started.id)}, "reason": {"new": body.reason}}
        await change.audit("dataset", name, "invalidate", changes)
        return started

    return await request.change(work, status=201)


@ROUTES.add("GET", "/v1/invalidations", permission="datasets:read", response=Page[Invalidation])
async def list_invalidations(request: ApiRequest, query: InvalidationFilter) -> object:
    """List invalidations, newest first, each with the jobs that read the data and their progress."""
    return page(await request.call_with(query, backfills.list_invalidations), query, "id")


@ROUTES.add("GET", "/v1/invalidations/{invalidation_id}", permission="datasets:read", response=Invalidation)
async def get_invalidation(request: ApiRequest, invalidation_id: UUID) -> object:
    """Get an invalidation."""
    return (await request.call(backfills.list_invalidations, id=invalidation_id))[0]


@ROUTES.add("GET", "/v1/datasets/{name}/reconcile", permission="datasets:read", response=Reconciliation)
async def reconcile_dataset(request: ApiRequest, name: PathName, query: ReconcileFilter) -> object:
    """Find about `limit` partitions that exist in the inputs of a dataset's job but not in the dataset, with the
    reasons. Pass `next` as `after` to continue; it is null at the end."""
    return await request.call(backfills.reconcile_dataset, dataset=name, after=query.after, limit=query.limit)
