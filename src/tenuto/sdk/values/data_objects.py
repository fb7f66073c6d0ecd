"""Data objects: bytes that are stored outside of task inputs and outputs, for example because they are large."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypedDict, cast
from uuid import UUID

from tenuto.model.errors import InvalidInput
from tenuto.sdk.values.wire_format import MAX_VALUE_BYTES, dump, load

VALUE = "tenuto.value"  # type of objects that hold a value as JSON text


class AttemptFence(TypedDict):
    """Identifies the attempt that holds a running task, in the form that SQL functions accept."""

    session_id: int
    token: UUID
    task_id: UUID
    attempt: int


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
    """Stores values that are too large for a row as data objects. Subclasses define where."""

    @abstractmethod
    async def put(
        self,
        data: bytes,
        *,
        type: str = "bytes",
        metadata: dict[str, Any] | None = None,
        holder: AttemptFence | None = None,
    ) -> DataObject:
        """Store bytes. `holder`: the attempt whose task holds the object. Objects without a reference are deleted after
        a day."""

    @abstractmethod
    async def get(self, object: DataObject | UUID) -> bytes:
        """Return the bytes of an object."""

    async def spill(self, text: str, *, holder: AttemptFence | None = None, parts: bool = False) -> Any:
        """Store a value that is too large for a row; return the reference that replaces it. `parts`: if the value is a
        tuple, store each of its large elements separately, because elements are read separately."""
        if parts and isinstance(value := load(text), list):
            texts = [dump(part) for part in cast("list[Any]", value)]
            most = MAX_VALUE_BYTES // max(2, len(texts))
            return [load(part) if len(part) < most else await self.spill(part, holder=holder) for part in texts]
        stored = await self.put(text.encode(), type=VALUE, holder=holder)
        return {"$object": str(stored.id), "json": True}

    async def follow(self, value: Any) -> Any:
        """Return the value. If it is a reference to a stored value, or a list with such references, load these
        values."""
        return await follow(value, self.get)

    async def follow_slots(self, slots: str) -> str:
        """Return the slots of a claimed task, as JSON text, in which stored values are loaded."""
        return dump(await self.follow(load(slots))) if '"$object"' in slots else slots


async def follow(value: Any, get: Callable[[UUID], Awaitable[bytes]]) -> Any:
    """Return the value. If it is a reference to a stored value, or a list with such references, load these values with
    `get`."""
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


def is_data_object(value: object) -> bool:
    """Whether this is a data object, or its JSON form."""
    return isinstance(value, DataObject) or (
        isinstance(value, dict) and cast("dict[object, object]", value).keys() == {"$object"}
    )


def is_spilled(value: Any) -> bool:
    """Whether this is a reference to a value that was too large for a row."""
    return isinstance(value, dict) and "$object" in value and "json" in value
