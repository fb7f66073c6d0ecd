"""Data objects: bytes that are stored outside of task inputs and outputs, for example because they are large."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, cast
from uuid import UUID

from tenuto.db import run_data
from tenuto.db.connection.pool import ConnectionPool
from tenuto.model.errors import InvalidInput, TenutoError
from tenuto.model.ids import uuid7
from tenuto.sdk.values.wire_format import MAX_VALUE_BYTES, dump, load
from tenuto.storage.base import Store

Fence = dict[str, Any]  # session_id, token, task_id and attempt: identifies the holder of a running task
VALUE = "tenuto.value"  # type of objects that hold a value as JSON text


@dataclass(frozen=True)
class DataObject:
    """A stored object, identified by its id. Pass it to tasks; read it with `await tn.get(it)` or `await
    ctx.get(it)`."""

    id: UUID

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, _handler: Any) -> Any:
        from pydantic_core import core_schema

        def read(value: dict[str, str]) -> DataObject:
            return cls(UUID(value["$object"]))

        form = core_schema.typed_dict_schema({"$object": core_schema.typed_dict_field(core_schema.str_schema())})
        return core_schema.json_or_python_schema(
            json_schema=core_schema.no_info_after_validator_function(read, form),
            python_schema=core_schema.is_instance_schema(cls),
            serialization=core_schema.plain_serializer_function_ser_schema(
                lambda value: {"$object": str(value.id)},  # pyright: ignore[reportUnknownLambdaType]
                when_used="json",
            ),
        )


class ObjectStoreBase(ABC):
    """Stores values that are too large for a row as data objects, whatever the storage."""

    @abstractmethod
    async def put(
        self, data: bytes, *, type: str = "bytes", metadata: dict[str, Any] | None = None, holder: Fence | None = None
    ) -> DataObject:
        """Store bytes. `holder`: the attempt whose task keeps the object; unreferenced objects are deleted after a
        day."""

    @abstractmethod
    async def get(self, object: DataObject | UUID) -> bytes:
        """Return the bytes of an object."""

    async def spill(self, text: str, *, holder: Fence | None = None, parts: bool = False) -> Any:
        """Store a value that is too large for a row; return the reference that replaces it. `parts`: store the elements
        of a tuple separately, because they are read separately."""
        if parts and isinstance(value := load(text), list):
            texts = [dump(part) for part in cast("list[Any]", value)]
            most = MAX_VALUE_BYTES // max(2, len(texts))
            return [load(part) if len(part) < most else await self.spill(part, holder=holder) for part in texts]
        stored = await self.put(text.encode(), type=VALUE, holder=holder)
        return {"$object": str(stored.id), "json": True}

    async def follow(self, value: Any) -> Any:
        """Return the value with stored parts loaded, also inside a list."""
        return await follow(value, self.get)

    async def follow_slots(self, slots: str) -> str:
        """Load stored parts in the slots of a claim, which are JSON text."""
        return dump(await self.follow(load(slots))) if '"$object"' in slots else slots


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
            raise InvalidInput(f"data object {id} at {row.uri} is not what was stored: its checksum differs")
        return content


async def follow(value: Any, get: Callable[[UUID], Awaitable[bytes]]) -> Any:
    """Return the value with stored parts loaded by `get`, also inside a list."""
    if isinstance(value, list):
        held = cast("list[Any]", value)
        return [await _fetch(item, get) for item in held] if any(map(is_spilled, held)) else held
    return await _fetch(value, get)


async def _fetch(value: Any, get: Callable[[UUID], Awaitable[bytes]]) -> Any:
    return load((await get(UUID(value["$object"]))).decode()) if is_spilled(value) else value


def as_bytes(data: Any) -> bytes:
    """Return the argument of `put` as bytes; raise InvalidInput for other types."""
    if not isinstance(data, bytes | bytearray | memoryview):
        raise InvalidInput(f"put takes bytes, not {data!r:.60}", "encode it first: text.encode()")
    return bytes(cast("bytes", data))


def is_spilled(value: Any) -> bool:
    """Whether this is a reference to a value that was too large for a row."""
    return isinstance(value, dict) and "$object" in value and "json" in value
