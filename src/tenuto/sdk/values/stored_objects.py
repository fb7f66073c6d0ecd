"""The data objects of an org, for processes that have a database login."""

import asyncio
from contextlib import suppress
from hashlib import sha256
from typing import Any
from uuid import UUID

from tenuto.db import data_objects
from tenuto.db.connection.call import Conn
from tenuto.db.connection.pool import ConnectionPool
from tenuto.model.errors import InvalidInput, TenutoError
from tenuto.model.ids import uuid7
from tenuto.sdk.values.data_objects import AttemptFence, DataObject, ObjectStoreBase, as_bytes
from tenuto.sdk.values.wire_format import MAX_VALUE_BYTES
from tenuto.storage.base import StorageProblem, Store, data_object_key


class Objects(ObjectStoreBase):
    """The data objects of an org: up to 1 MB in Postgres, larger ones in the object store."""

    def __init__(self, pool: ConnectionPool, org_id: UUID, store: Store) -> None:
        self._pool, self._org_id, self._store = pool, org_id, store

    async def put(
        self,
        data: bytes,
        *,
        type: str = "bytes",
        metadata: dict[str, Any] | None = None,
        holder: AttemptFence | None = None,
        at: list[str] | None = None,
        hard: bool = False,
        persisted: bool = False,
    ) -> DataObject:
        """Store bytes. `holder`: the attempt whose task holds the object. Objects without a reference are deleted after
        a day, unless they are `persisted`. `at`: the addresses of the workers that have the data. `hard`: tasks that
        receive the object run only on these workers."""
        content = as_bytes(data)
        id = uuid7()
        small = len(content) <= MAX_VALUE_BYTES
        key = data_object_key(id)
        uri = None if small else await asyncio.to_thread(self._store.put, key, content)
        try:
            async with self._pool.connection() as conn, conn.transaction():
                stored = await self._record(
                    conn, id, content, uri, type=type, metadata=metadata, holder=holder, persisted=persisted
                )
                if at:
                    await data_objects.place_object(
                        conn, org_id=self._org_id, object_id=stored, addresses=at, hard=hard
                    )
            return DataObject(stored)
        except TenutoError:
            if uri is not None:
                with suppress(StorageProblem):  # then the bytes stay, although no row refers to them
                    await asyncio.to_thread(self._store.delete, key)
            raise

    async def _record(
        self,
        conn: Conn,
        id: str,
        content: bytes,
        uri: str | None,
        *,
        type: str,
        metadata: dict[str, Any] | None,
        holder: AttemptFence | None,
        persisted: bool,
    ) -> UUID:
        stored = await data_objects.put_object(
            conn,
            org_id=self._org_id,
            type=type,
            payload=content if uri is None else None,
            uri=uri,
            size=len(content),
            checksum=f"sha256:{sha256(content).hexdigest()}",
            metadata=metadata,
            id=UUID(id),
            persisted=persisted,
        )
        if holder is not None:
            await data_objects.keep_object(
                conn,
                object_id=stored,
                session_id=holder["session_id"],
                token=holder["token"],
                task_id=holder["task_id"],
                attempt=holder["attempt"],
            )
        return stored

    async def get(self, object: DataObject | UUID) -> bytes:
        """Return the bytes of an object. Raises InvalidInput if bytes from the object store do not match their
        checksum."""
        id = object.id if isinstance(object, DataObject) else object
        row = await self._pool.call(data_objects.get_object, org_id=self._org_id, object_id=id)
        if row.payload is not None:
            return bytes(row.payload)
        content = await asyncio.to_thread(self._store.get, self._store.key_of(row.uri or ""))
        if row.checksum and row.checksum != f"sha256:{sha256(content).hexdigest()}":
            raise InvalidInput(f"data object {id} at {row.uri} was changed after it was stored: its checksum differs")
        return content
