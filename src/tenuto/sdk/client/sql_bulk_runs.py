"""Retries, cancels and deletes the runs that a filter selects, and purges queues. Each call handles a limited number of
them."""

from uuid import UUID

from tenuto.db import bulk_runs
from tenuto.db.connection.pool import ConnectionPool
from tenuto.model.bulk_runs import BulkPiece, PurgePiece, RunSelection


class SqlBulkRuns:
    """The bulk operations of a client on one org of one database."""

    def __init__(self, pool: ConnectionPool, org_id: UUID) -> None:
        self.pool, self.org_id = pool, org_id

    async def retry_runs(self, filter: RunSelection, *, reuse: bool, before: UUID | None, dry_run: bool) -> BulkPiece:
        return await self.pool.call(
            bulk_runs.retry_runs,
            org_id=self.org_id,
            status=filter.status,
            type=filter.type,
            name=filter.name,
            since=filter.since,
            reuse=reuse,
            before=before,
            dry_run=dry_run,
        )

    async def cancel_runs(
        self, filter: RunSelection, *, reason: str | None, before: UUID | None, dry_run: bool
    ) -> BulkPiece:
        return await self.pool.call(
            bulk_runs.cancel_runs,
            org_id=self.org_id,
            status=filter.status,
            type=filter.type,
            name=filter.name,
            since=filter.since,
            reason=reason,
            before=before,
            dry_run=dry_run,
        )

    async def delete_runs(self, filter: RunSelection, *, before: UUID | None, dry_run: bool) -> BulkPiece:
        return await self.pool.call(
            bulk_runs.delete_runs,
            org_id=self.org_id,
            status=filter.status,
            type=filter.type,
            name=filter.name,
            since=filter.since,
            before=before,
            dry_run=dry_run,
        )

    async def purge_queue(self, queue: str, *, reason: str | None, before: UUID | None, dry_run: bool) -> PurgePiece:
        return await self.pool.call(
            bulk_runs.purge_queue, org_id=self.org_id, queue=queue, reason=reason, before=before, dry_run=dry_run
        )
