"""Invalidations: `await tn.invalidations.start("orders", "a wrong rate", partitions=["2026-11-01"])`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING
from uuid import UUID

from tenuto.model.invalidations import Invalidation, InvalidationScope
from tenuto.model.json import JsonObject
from tenuto.sdk.client.loop_thread import Wait
from tenuto.sdk.collections.pages import all_pages, read_uuid

if TYPE_CHECKING:
    from tenuto.sdk.operations.repairs import RepairOperations


class InvalidationCollection:
    """The invalidations of an org."""

    def __init__(self, operations: "RepairOperations") -> None:
        self._operations = operations

    async def start(
        self,
        dataset: str,
        reason: str,
        *,
        first: str | None = None,
        last: str | None = None,
        partitions: Sequence[str] | None = None,
        row_filter: JsonObject | None = None,
    ) -> Invalidation:
        """Let every job that reads a dataset compute its data again for these partitions, even from the same inputs.
        `row_filter` is passed to the tasks, as `ctx.job.event["data"]["invalidation"]["filter"]`."""
        keys = None if partitions is None else [*partitions]
        return await self._operations.invalidate_dataset(
            InvalidationScope(dataset, reason, first, last, keys, row_filter)
        )

    async def get(self, id: UUID | str) -> Invalidation:
        """Return an invalidation, with the jobs that read the data and the progress of each."""
        return await self._operations.get_invalidation(read_uuid(id, "an invalidation"))

    async def list(self, *, dataset: str | None = None) -> list[Invalidation]:
        """Return all invalidations, or only the invalidations of a dataset, newest first."""
        return await all_pages(
            lambda last: self._operations.list_invalidations(dataset=dataset, before=last and last.id)
        )


class SyncInvalidationCollection:
    """The invalidations of an org, for synchronous code."""

    def __init__(self, invalidations: InvalidationCollection, wait: Wait) -> None:
        self._invalidations, self._wait = invalidations, wait

    def start(
        self,
        dataset: str,
        reason: str,
        *,
        first: str | None = None,
        last: str | None = None,
        partitions: Sequence[str] | None = None,
        row_filter: JsonObject | None = None,
    ) -> Invalidation:
        """Let every job that reads a dataset compute its data again for these partitions, even from the same inputs."""
        return self._wait(
            self._invalidations.start(
                dataset, reason, first=first, last=last, partitions=partitions, row_filter=row_filter
            )
        )

    def get(self, id: UUID | str) -> Invalidation:
        """Return an invalidation, with the jobs that read the data and the progress of each."""
        return self._wait(self._invalidations.get(id))

    def list(self, *, dataset: str | None = None) -> list[Invalidation]:
        """Return all invalidations, or only the invalidations of a dataset, newest first."""
        return self._wait(self._invalidations.list(dataset=dataset))
