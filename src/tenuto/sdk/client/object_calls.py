"""The calls of a client about data objects."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from tenuto.model.errors import InvalidInput
from tenuto.model.json import Json
from tenuto.model.run_data import ObjectSummary
from tenuto.sdk.client.loop_thread import Wait
from tenuto.sdk.client.run import Run, as_id
from tenuto.sdk.client.transport import PAGE, Transport
from tenuto.sdk.values.data_objects import DataObject, as_bytes

AnyRun = Run[Any] | UUID | str  # a handle, or an id


class ObjectCalls:
    """Stores, reads and lists data objects, and sets which runs and resource groups hold them."""

    transport: Transport

    async def put(
        self,
        data: bytes,
        *,
        type: str = "bytes",
        metadata: Mapping[str, Json] | None = None,
        at: Sequence[str] = (),
        hard: bool = False,
        persisted: bool = False,
    ) -> DataObject:
        """Store bytes that tasks can receive. An object that nothing references is deleted after a day, unless it is
        `persisted`. `at`: the addresses of the workers that have the data. With `hard`, only these workers run tasks
        that receive the object."""
        if isinstance(at, str) or (hard and not at):
            raise InvalidInput(f"put was called with at={at!r} and hard={hard}", 'write at=["node-1"], hard=True')
        return DataObject(await self.transport.put_object(as_bytes(data), type, metadata, list(at), hard, persisted))

    async def get(self, object: DataObject | UUID) -> bytes:
        """Return the bytes of a data object."""
        return await self.transport.get_object(_id(object))

    async def objects(
        self,
        *,
        held_by: AnyRun | None = None,
        group: str | None = None,
        before: UUID | None = None,
        limit: int = PAGE,
    ) -> list[ObjectSummary]:
        """Return a page of the data objects of the org, newest first. `held_by`: only objects that this run or task
        holds. `group`: only objects that this resource group holds. `before`: the id of the last object of the previous
        page."""
        holder = None if held_by is None else as_id(held_by)
        return await self.transport.list_objects(held_by=holder, group=group, before=before, limit=limit)

    async def reference(
        self, object: DataObject | UUID, *, run: AnyRun | None = None, group: str | None = None
    ) -> None:
        """Make a run or a resource group hold a data object. The object is kept until its holder is deleted or releases
        it."""
        await self.transport.reference_object(_id(object), run_id=_holder(run, group), group=group)

    async def release(self, object: DataObject | UUID, *, run: AnyRun | None = None, group: str | None = None) -> bool:
        """Release the reference of a run or a resource group to a data object. Return whether there was such a
        reference."""
        return await self.transport.release_object(_id(object), run_id=_holder(run, group), group=group)


class SyncObjectCalls(ABC):
    """Stores, reads and lists data objects, and sets which runs and resource groups hold them, for synchronous code."""

    wait_for: Wait

    @property
    @abstractmethod
    def client(self) -> ObjectCalls:
        """The asynchronous client that makes the calls."""

    def put(
        self,
        data: bytes,
        *,
        type: str = "bytes",
        metadata: Mapping[str, Json] | None = None,
        at: Sequence[str] = (),
        hard: bool = False,
        persisted: bool = False,
    ) -> DataObject:
        """Store bytes that tasks can receive. An object that nothing references is deleted after a day, unless it is
        `persisted`."""
        made = self.client.put(data, type=type, metadata=metadata, at=at, hard=hard, persisted=persisted)
        return self.wait_for(made)

    def get(self, object: DataObject | UUID) -> bytes:
        """Return the bytes of a data object."""
        return self.wait_for(self.client.get(object))

    def objects(
        self,
        *,
        held_by: UUID | str | None = None,
        group: str | None = None,
        before: UUID | None = None,
        limit: int = PAGE,
    ) -> list[ObjectSummary]:
        """Return a page of the data objects of the org, newest first. `held_by`: only objects that the run or task with
        this id holds. `group`: only objects that this resource group holds. `before`: the id of the last object of the
        previous page."""
        return self.wait_for(self.client.objects(held_by=held_by, group=group, before=before, limit=limit))

    def reference(self, object: DataObject | UUID, *, run: UUID | str | None = None, group: str | None = None) -> None:
        """Make a run or a resource group hold a data object. `run` is the id of the run. The object is kept until its
        holder is deleted or releases it."""
        self.wait_for(self.client.reference(object, run=run, group=group))

    def release(self, object: DataObject | UUID, *, run: UUID | str | None = None, group: str | None = None) -> bool:
        """Release the reference of a run or a resource group to a data object. `run` is the id of the run. Return
        whether there was such a reference."""
        return self.wait_for(self.client.release(object, run=run, group=group))


def _id(object: DataObject | UUID) -> UUID:
    return object.id if isinstance(object, DataObject) else object


def _holder(run: AnyRun | None, group: str | None) -> UUID | None:
    if (run is None) == (group is None):
        raise InvalidInput("a data object is held by a run or by a resource group", 'pass run=… or group="…"')
    return None if run is None else as_id(run)
