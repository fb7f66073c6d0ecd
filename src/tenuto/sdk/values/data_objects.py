"""Data objects: bytes that are too large, or too precious, to travel inside a value."""

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

Fence = dict[str, Any]  # session_id, token, task_id and attempt: who holds a running task
VALUE = "tenuto.value"  # the type of an object that holds the JSON text of a value


@dataclass(frozen=True)
class DataObject:
    """A stored object, by its id. Pass it to tasks; `await tn.get(it)` or `await ctx.get(it)` reads it."""

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
    """Values that are too large for a row, over whatever keeps data objects."""

    @abstractmethod
    async def put(
        self, data: bytes, *, type: str = "bytes", metadata: dict[str, Any] | None = None, holder: Fence | None = None
    ) -> DataObject:
        """Store bytes. `holder`: the attempt whose task keeps the object; one that nobody holds goes after a day."""

    @abstractmethod
    async def get(self, object: DataObject | UUID) -> bytes:
        """The bytes of an object."""

    async def spill(self, text: str, *, holder: Fence | None = None, parts: bool = False) -> Any:
        """What stands for a value that is too large for a row. `parts`: a tuple whose places are read one by one."""
        if parts and isinstance(value := load(text), list):
            texts = [dump(one) for one in cast("list[Any]", value)]
            most = MAX_VALUE_BYTES // max(2, len(texts))
            return [load(one) if len(one) < most else await self.spill(one, holder=holder) for one in texts]
        stored = await self.put(text.encode(), type=VALUE, holder=holder)
        return {"$object": str(stored.id), "json": True}

    async def follow(self, value: Any) -> Any:
        """The value, with what was too large for a row fetched; also in the places of a list."""
        return await follow(value, self.get)

    async def follow_slots(self, slots: str) -> str:
        """The same for the slots of a claim, as JSON text."""
        return dump(await self.follow(load(slots))) if '"$object"' in slots else slots


class Objects(ObjectStoreBase):
    """The data objects of an org: up to 1 MB in Postgres, larger ones in the store."""

    def __init__(self, pool: ConnectionPool, org_id: UUID, store: Store) -> None:
        self._pool, self._org_id, self._store = pool, org_id, store

    async def put(
        self, data: bytes, *, type: str = "bytes", metadata: dict[str, Any] | None = None, holder: Fence | None = None
    ) -> DataObject:
        """Store bytes. `holder`: the attempt whose task keeps the object; one that nobody holds goes after a day."""
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
        """The bytes of an object; what was damaged on its way is refused."""
        id = object.id if isinstance(object, DataObject) else object
        found = await self._pool.call(run_data.get_object, org_id=self._org_id, object_id=id)
        if found.payload is not None:
            return bytes(found.payload)
        content = await asyncio.to_thread(self._store.get, found.uri or "")
        if found.checksum and found.checksum != f"sha256:{sha256(content).hexdigest()}":
            raise InvalidInput(f"data object {id} at {found.uri} is not what was stored: its checksum differs")
        return content


async def follow(value: Any, get: Callable[[UUID], Awaitable[bytes]]) -> Any:
    """The value, with what was too large for a row fetched by `get`; also in the places of a list."""
    if isinstance(value, list):
        held = cast("list[Any]", value)
        return [await _fetch(one, get) for one in held] if any(map(is_spilled, held)) else held
    return await _fetch(value, get)


async def _fetch(value: Any, get: Callable[[UUID], Awaitable[bytes]]) -> Any:
    return load((await get(UUID(value["$object"]))).decode()) if is_spilled(value) else value


def as_bytes(data: Any) -> bytes:
    """What `put` was given, if it is bytes."""
    if not isinstance(data, bytes | bytearray | memoryview):
        raise InvalidInput(f"put takes bytes, not {data!r:.60}", "encode it first: text.encode()")
    return bytes(cast("bytes", data))


def is_spilled(value: Any) -> bool:
    """Whether this stands for a value that was too large for a row."""
    return isinstance(value, dict) and "$object" in value and "json" in value
