"""The data objects of an org, for processes that have a database login."""

import asyncio
from hashlib import sha256
from typing import Any
from uuid import UUID

from tenuto.db import run_data
from tenuto.db.connection.pool import ConnectionPool
from tenuto.model.errors import InvalidInput, TenutoError
from tenuto.model.ids import uuid7
from tenuto.sdk.values.data_objects import DataObject, Fence, ObjectStoreBase, as_bytes
from tenuto.sdk.values.wire_format import MAX_VALUE_BYTES
from tenuto.storage.base import Store


class Objects(ObjectStoreBase):
    """The data objects of an org: up to 1 MB in Postgres, larger ones in the object store."""

    def __init__(self, pool: ConnectionPool, org_id: UUID, store: Store) -> None:
        self._pool, self._org_id, self._store = pool, org_id, store

    async def put(
        self, data: bytes, *, type: str = "bytes", metadata: dict[str, Any] | None = None, holder: Fence | None = None
    ) -> DataObject:
        """Store bytes. `holder`: the attempt whose task keeps the object; unreferenced objects are deleted after a
        day."""
        content = as_bytes(data)
        id = uuid7()
        small = len(content) <= MAX_VALUE_BYTES
        uri = None if small else await asyncio.to_thread(self._store.put, id, content)
        try:
            return DataObject(await self._record(id, content, uri, type=type, metadata=metadata, holder=holder))
        except TenutoError:
            if uri is not None:
                await asyncio.to_thread(self._store.delete, uri)
            raise

    async def _record(
        self,
        id: str,
        content: bytes,
        uri: str | None,
        *,
        type: str,
        metadata: dict[str, Any] | None,
        holder: Fence | None,
    ) -> UUID:
        async with self._pool.connection() as conn, conn.transaction():
            stored = await run_data.put_object(
                conn,
                org_id=self._org_id,
                type=type,
                payload=content if uri is None else None,
                uri=uri,
                size=len(content),
                checksum=f"sha256:{sha256(content).hexdigest()}",
                metadata=metadata,
                id=UUID(id),
            )
            if holder is not None:
                await run_data.keep_object(conn, object_id=stored, **holder)
        return stored

    async def get(self, object: DataObject | UUID) -> bytes:
        """Return the bytes of an object; raise InvalidInput if the checksum does not match."""
        id = object.id if isinstance(object, DataObject) else object
        row = await self._pool.call(run_data.get_object, org_id=self._org_id, object_id=id)
        if row.payload is not None:
            return bytes(row.payload)
        content = await asyncio.to_thread(self._store.get, row.uri or "")
        if row.checksum and row.checksum != f"sha256:{sha256(content).hexdigest()}":
            raise InvalidInput(f"data object {id} at {row.uri} was changed after it was stored: its checksum differs")
        return content
