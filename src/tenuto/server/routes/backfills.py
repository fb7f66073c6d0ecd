"""Backfills: start, preview, list, get, pause, resume, cancel."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field
from starlette.responses import Response

from tenuto.db import backfills
from tenuto.model.backfills import Backfill, BackfillPreview, BackfillScope, BackfillTask
from tenuto.model.statuses import BackfillStatus
from tenuto.sdk.operations.sql_repairs import preview_backfill as preview
from tenuto.sdk.operations.sql_repairs import start_backfill as start
from tenuto.server.http.pagination import Filter, page
from tenuto.server.http.route_table import RouteTable
from tenuto.server.requests.api import ApiRequest, Transaction
from tenuto.server.schemas.base import WHOLE, Name, Page, RequestModel

ROUTES = RouteTable("backfills")


class BackfillFilter(Filter):
    """Selects backfills, newest first. `dataset`: only backfills of this dataset. `status`: only backfills in this
    status. `before`: the last id of the previous page."""

    dataset: Annotated[str, Field(max_length=128)] | None = None
    status: BackfillStatus | None = None
    before: UUID | None = None


class BackfillTaskFilter(Filter):
    """Selects tasks of a backfill, in the order of their ids. `after`: the last id of the previous page."""

    after: UUID | None = None


class BackfillRequest(RequestModel):
    """A backfill of the partitions of a dataset from `first` to `last`, both included, or of a list of `partitions`.
    `reprocess`: `none` computes the partitions that are missing, `failed` also the partitions that failed, `all` every
    partition. `downstream`: which jobs react to the commits: `none`, `same` (jobs that compute the same partition) or
    `all`. `concurrency`: how many of its tasks may be unfinished at a time."""

    dataset: Name
    first: Name | None = None
    last: Name | None = None
    partitions: Annotated[list[Name], Field(min_length=1, max_length=1000)] | None = None
    reprocess: Literal["none", "failed", "all"] = "none"
    downstream: Literal["none", "same", "all"] = "all"
    concurrency: Annotated[int, Field(ge=1, le=1000), WHOLE] = 100
    descending: bool = False
    reason: Annotated[str, Field(min_length=1, max_length=1024)] | None = None

    def scope(self) -> BackfillScope:
        """Return the request as the parameters of the SQL functions."""
        return BackfillScope(
            self.dataset,
            self.first,
            self.last,
            self.partitions,
            self.reprocess,
            self.downstream,
            self.concurrency,
            self.descending,
            self.reason,
        )


@ROUTES.add("GET", "/v1/backfills", permission="backfills:read", response=Page[Backfill])
async def list_backfills(request: ApiRequest, query: BackfillFilter) -> object:
    """List backfills with their progress, newest first."""
    return page(await request.call_with(query, backfills.list_backfills), query, "id")


@ROUTES.add("POST", "/v1/backfills", permission="backfills:write", response=Backfill, status=201)
async def start_backfill(request: ApiRequest, body: BackfillRequest) -> Response:
    """Start a backfill: dispatchers start tasks that compute partitions of a dataset, a bounded number at a time."""

    async def work(change: Transaction) -> Backfill:
        started = await start(
            change.conn, org_id=change.org_id, scope=body.scope(), actor=f"{change.request.principal.id}"
        )
        new = {
            "dataset": body.dataset,
            "partitions": started.total,
            "reprocess": body.reprocess,
            "downstream": body.downstream,
            "reason": body.reason,
        }
        await change.audit(
            "backfill", started.id, "start", {key: {"new": value} for key, value in new.items() if value is not None}
        )
        return started

    return await request.change(work, status=201)


@ROUTES.add("POST", "/v1/backfills/preview", permission="backfills:read", response=BackfillPreview, repeatable=False)
async def preview_backfill(request: ApiRequest, body: BackfillRequest) -> object:
    """Count the partitions that a backfill would compute, wait for and skip, without starting it."""
    return await request.read(preview, scope=body.scope())


@ROUTES.add("GET", "/v1/backfills/{backfill_id}", permission="backfills:read", response=Backfill)
async def get_backfill(request: ApiRequest, backfill_id: UUID) -> object:
    """Get a backfill with its progress."""
    return await request.call(backfills.get_backfill, id=backfill_id)


@ROUTES.add("GET", "/v1/backfills/{backfill_id}/tasks", permission="backfills:read", response=Page[BackfillTask])
async def list_backfill_tasks(request: ApiRequest, backfill_id: UUID, query: BackfillTaskFilter) -> object:
    """List the tasks of a backfill that have not ended, or have ended without completing."""
    return page(await request.call_with(query, backfills.list_backfill_tasks, id=backfill_id), query, "task_id")


@ROUTES.add("POST", "/v1/backfills/{backfill_id}/pause", permission="backfills:write", response=None, status=204)
async def pause_backfill(request: ApiRequest, backfill_id: UUID) -> Response:
    """Pause a backfill: it starts no more tasks until it is resumed."""
    return await request.audited_call("backfill", str(backfill_id), "pause", backfills.pause_backfill, id=backfill_id)


@ROUTES.add("POST", "/v1/backfills/{backfill_id}/resume", permission="backfills:write", response=None, status=204)
async def resume_backfill(request: ApiRequest, backfill_id: UUID) -> Response:
    """Resume a paused backfill where it stopped."""
    return await request.audited_call("backfill", str(backfill_id), "resume", backfills.resume_backfill, id=backfill_id)


@ROUTES.add("POST", "/v1/backfills/{backfill_id}/cancel", permission="backfills:write", response=None, status=204)
async def cancel_backfill(request: ApiRequest, backfill_id: UUID) -> Response:
    """Cancel a backfill and its tasks that have not ended. Committed data stays."""
    return await request.audited_call("backfill", str(backfill_id), "cancel", backfills.cancel_backfill, id=backfill_id)
