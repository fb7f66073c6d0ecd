"""Repairs of data on the database: calls the SQL functions directly, each operation in one transaction."""

from uuid import UUID

from tenuto.db import backfills
from tenuto.db.connection.call import Conn
from tenuto.db.connection.pool import ConnectionPool
from tenuto.model.backfills import Backfill, BackfillPreview, BackfillScope, BackfillTask
from tenuto.model.invalidations import Invalidation, InvalidationScope
from tenuto.model.reconciliation import Reconciliation
from tenuto.sdk.client.transport import PAGE


async def start_backfill(conn: Conn, *, org_id: UUID, scope: BackfillScope, actor: str) -> Backfill:
    """Start a backfill in the caller's transaction and return it."""
    id = await backfills.start_backfill(
        conn,
        org_id=org_id,
        dataset=scope.dataset,
        first=scope.first,
        last=scope.last,
        partitions=scope.partitions,
        reprocess=scope.reprocess,
        downstream=scope.downstream,
        concurrency=scope.concurrency,
        descending=scope.descending,
        reason=scope.reason,
        actor=actor,
    )
    return await backfills.get_backfill(conn, org_id=org_id, id=id)


async def preview_backfill(conn: Conn, *, org_id: UUID, scope: BackfillScope) -> BackfillPreview:
    """Return what a backfill would do now."""
    return await backfills.preview_backfill(
        conn,
        org_id=org_id,
        dataset=scope.dataset,
        first=scope.first,
        last=scope.last,
        partitions=scope.partitions,
        reprocess=scope.reprocess,
        downstream=scope.downstream,
        concurrency=scope.concurrency,
        descending=scope.descending,
        reason=scope.reason,
    )


async def invalidate_dataset(conn: Conn, *, org_id: UUID, scope: InvalidationScope, actor: str) -> Invalidation:
    """Start an invalidation in the caller's transaction and return it."""
    id = await backfills.invalidate_dataset(
        conn,
        org_id=org_id,
        dataset=scope.dataset,
        reason=scope.reason,
        first=scope.first,
        last=scope.last,
        partitions=scope.partitions,
        row_filter=scope.row_filter,
        actor=actor,
    )
    return (await backfills.list_invalidations(conn, org_id=org_id, id=id))[0]


class SqlRepairs:
    """Repairs the data of one org. `actor` is recorded in backfills and invalidations."""

    def __init__(self, pool: ConnectionPool, org_id: UUID, *, actor: str) -> None:
        self._pool, self._org_id, self._actor = pool, org_id, actor

    async def start_backfill(self, scope: BackfillScope) -> Backfill:
        async with self._pool.connection() as conn, conn.transaction():
            return await start_backfill(conn, org_id=self._org_id, scope=scope, actor=self._actor)

    async def preview_backfill(self, scope: BackfillScope) -> BackfillPreview:
        return await self._pool.call(preview_backfill, org_id=self._org_id, scope=scope)

    async def list_backfills(
        self, *, dataset: str | None = None, status: str | None = None, before: UUID | None = None, limit: int = PAGE
    ) -> list[Backfill]:
        return await self._pool.call(
            backfills.list_backfills, org_id=self._org_id, dataset=dataset, status=status, before=before, limit=limit
        )

    async def get_backfill(self, id: UUID) -> Backfill:
        return await self._pool.call(backfills.get_backfill, org_id=self._org_id, id=id)

    async def list_backfill_tasks(
        self, id: UUID, *, after: UUID | None = None, limit: int = PAGE
    ) -> list[BackfillTask]:
        return await self._pool.call(
            backfills.list_backfill_tasks, org_id=self._org_id, id=id, after=after, limit=limit
        )

    async def pause_backfill(self, id: UUID) -> None:
        await self._pool.call(backfills.pause_backfill, org_id=self._org_id, id=id)

    async def resume_backfill(self, id: UUID) -> None:
        await self._pool.call(backfills.resume_backfill, org_id=self._org_id, id=id)

    async def cancel_backfill(self, id: UUID) -> None:
        await self._pool.call(backfills.cancel_backfill, org_id=self._org_id, id=id)

    async def invalidate_dataset(self, scope: InvalidationScope) -> Invalidation:
        async with self._pool.connection() as conn, conn.transaction():
            return await invalidate_dataset(conn, org_id=self._org_id, scope=scope, actor=self._actor)

    async def list_invalidations(
        self, *, dataset: str | None = None, before: UUID | None = None, limit: int = PAGE
    ) -> list[Invalidation]:
        return await self._pool.call(
            backfills.list_invalidations, org_id=self._org_id, dataset=dataset, before=before, limit=limit
        )

    async def get_invalidation(self, id: UUID) -> Invalidation:
        return (await self._pool.call(backfills.list_invalidations, org_id=self._org_id, id=id))[0]

    async def reconcile_dataset(self, dataset: str, *, after: str | None = None, limit: int = PAGE) -> Reconciliation:
        return await self._pool.call(
            backfills.reconcile_dataset, org_id=self._org_id, dataset=dataset, after=after, limit=limit
        )
