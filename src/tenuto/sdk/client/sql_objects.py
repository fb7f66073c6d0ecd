"""Stores, reads and lists data objects over SQL, and adds and releases references to them."""

from collections.abc import Mapping
from uuid import UUID

from tenuto.db import data_objects
from tenuto.db.connection.pool import ConnectionPool
from tenuto.model.json import Json
from tenuto.model.run_data import ObjectSummary
from tenuto.sdk.client.sql_bulk_runs import SqlBulkRuns
from tenuto.sdk.client.transport import PAGE
from tenuto.sdk.values.stored_objects import Objects
from tenuto.storage.base import Store


class SqlObjects(SqlBulkRuns):
    """The operations of a client on the data objects of its org."""

    def __init__(self, pool: ConnectionPool, org_id: UUID, store: Store) -> None:
        super().__init__(pool, org_id)
        self.store = store
        self.objects = Objects(pool, org_id, store)

    async def put_object(
        self, data: bytes, type: str, metadata: Mapping[str, Json] | None, at: list[str], hard: bool, persisted: bool
    ) -> UUID:
        kept = None if metadata is None else dict(metadata)
        stored = await self.objects.put(data, type=type, metadata=kept, at=at, hard=hard, persisted=persisted)
        return stored.id

    async def list_objects(
        self,
        *,
        held_by: UUID | None = None,
        group: str | None = None,
        before: UUID | None = None,
        limit: int = PAGE,
    ) -> list[ObjectSummary]:
        return await self.pool.call(
            data_objects.list_objects, org_id=self.org_id, held_by=held_by, group=group, before=before, limit=limit
        )

    async def reference_object(self, object_id: UUID, *, run_id: UUID | None, group: str | None) -> None:
        await self.pool.call(
            data_objects.reference_object,
            org_id=self.org_id,
            object_id=object_id,
            holder="run" if run_id else "group",
            holder_id=run_id,
            group=group,
        )

    async def release_object(self, object_id: UUID, *, run_id: UUID | None, group: str | None) -> bool:
        return await self.pool.call(
            data_objects.release_object,
            org_id=self.org_id,
            object_id=object_id,
            holder="run" if run_id else "group",
            holder_id=run_id,
            group=group,
        )

    async def get_object(self, object_id: UUID) -> bytes:
        return await self.objects.get(object_id)
