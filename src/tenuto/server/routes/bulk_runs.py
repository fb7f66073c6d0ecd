"""Bulk operations: retry, cancel and delete the runs that a filter selects, and purge a queue. Each request handles a
bounded number of runs or tasks."""

from starlette.responses import Response

from tenuto.db import bulk_runs
from tenuto.model.bulk_runs import BulkPiece, PurgePiece
from tenuto.server.http.pagination import PathName
from tenuto.server.http.route_table import RouteTable
from tenuto.server.requests.api import ApiRequest, Transaction
from tenuto.server.schemas import bulk_runs as schemas

ROUTES = RouteTable("runs")


@ROUTES.add("POST", "/v1/runs/retry", permission="runs:write", response=BulkPiece)
async def retry_runs(request: ApiRequest, body: schemas.RetryRunsRequest) -> Response:
    """Retry the runs that a filter selects, newest first, at most `limit` per request."""

    async def work(change: Transaction) -> BulkPiece:
        piece = await bulk_runs.retry_runs(
            change.conn,
            org_id=change.org_id,
            status=body.status,
            type=body.type,
            name=body.name,
            since=body.since,
            reuse=body.reuse,
            before=body.before,
            limit=body.limit,
            dry_run=body.dry_run,
        )
        return await _audit_piece(change, piece, "retry", dry_run=body.dry_run)

    return await request.change(work, status=200)


@ROUTES.add("POST", "/v1/runs/cancel", permission="runs:write", response=BulkPiece)
async def cancel_runs(request: ApiRequest, body: schemas.CancelRunsRequest) -> Response:
    """Cancel the runs that a filter selects and that have not ended, newest first, at most `limit` per request."""

    async def work(change: Transaction) -> BulkPiece:
        piece = await bulk_runs.cancel_runs(
            change.conn,
            org_id=change.org_id,
            status=body.status,
            type=body.type,
            name=body.name,
            since=body.since,
            reason=body.reason,
            before=body.before,
            limit=body.limit,
            dry_run=body.dry_run,
        )
        return await _audit_piece(change, piece, "cancel", reason=body.reason, dry_run=body.dry_run)

    return await request.change(work, status=200)


@ROUTES.add("POST", "/v1/runs/delete", permission="runs:delete", response=BulkPiece)
async def delete_runs(request: ApiRequest, body: schemas.DeleteRunsRequest) -> Response:
    """Delete the ended runs that a filter selects, newest first, at most `limit` per request."""

    async def work(change: Transaction) -> BulkPiece:
        piece = await bulk_runs.delete_runs(
            change.conn,
            org_id=change.org_id,
            status=body.status,
            type=body.type,
            name=body.name,
            since=body.since,
            before=body.before,
            limit=body.limit,
            dry_run=body.dry_run,
        )
        return await _audit_piece(change, piece, "delete", dry_run=body.dry_run)

    return await request.change(work, status=200)


@ROUTES.add("POST", "/v1/queues/{name}/purge", permission="runs:write", response=PurgePiece)
async def purge_queue(request: ApiRequest, name: PathName, body: schemas.PurgeRequest | None = None) -> Response:
    """Cancel the tasks of a queue that wait to start or to be retried, at most `limit` per request. Tasks with the
    status `running` or `waiting` continue."""
    how = body or schemas.PurgeRequest()

    async def work(change: Transaction) -> PurgePiece:
        piece = await bulk_runs.purge_queue(
            change.conn,
            org_id=change.org_id,
            queue=name,
            reason=how.reason,
            before=how.before,
            limit=how.limit,
            dry_run=how.dry_run,
        )
        if not how.dry_run:
            tasks = {"tasks": {"new": len(piece.task_ids)}}
            await change.audit("queue", name, "purge", tasks | ({"reason": {"new": how.reason}} if how.reason else {}))
        return piece

    return await request.change(work, status=200)


async def _audit_piece(
    change: Transaction, piece: BulkPiece, action: str, *, reason: str | None = None, dry_run: bool
) -> BulkPiece:
    """Writes one audit entry for all runs of this request, unless it is a dry run."""
    if not dry_run:
        retries = [str(retry) for retry in piece.new_run_ids[:10]]
        retried_as = retries[0] if len(piece.run_ids) == 1 and retries else retries or None
        await change.audit_many("run", piece.run_ids, action, {"reason": reason, "retried_as": retried_as})
    return piece
