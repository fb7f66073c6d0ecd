"""Backfills: `await tn.backfills.start("orders_daily", first="2026-11-01", last="2026-11-07")`."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING
from uuid import UUID

from tenuto.model.backfills import ENDED, Backfill, BackfillPreview, BackfillScope, BackfillTask
from tenuto.model.reconciliation import Reconciliation
from tenuto.model.statuses import Downstream, Reprocess
from tenuto.sdk.client.loop_thread import Wait
from tenuto.sdk.collections.pages import all_pages, read_uuid

if TYPE_CHECKING:
    from tenuto.sdk.operations.repairs import RepairOperations

POLL_SECONDS = 0.5


class BackfillCollection:
    """The backfills of an org."""

    def __init__(self, operations: "RepairOperations") -> None:
        self._operations = operations

    async def start(
        self,
        dataset: str,
        *,
        first: str | None = None,
        last: str | None = None,
        partitions: Sequence[str] | None = None,
        reprocess: Reprocess = "none",
        downstream: Downstream = "all",
        concurrency: int = 100,
        descending: bool = False,
        reason: str | None = None,
    ) -> Backfill:
        """Start a backfill of a dataset: of the partitions from `first` to `last`, both included, or of a list of
        partitions. `reprocess`: "none" computes the partitions that are missing, "failed" also those that failed, "all"
        every partition. `downstream`: which jobs react to the commits: "none", "same" (only jobs that read the same
        partition) or "all". `concurrency`: how many tasks it may have at a time. `descending`: begin with the last
        partition."""
        keys = None if partitions is None else [*partitions]
        return await self._operations.start_backfill(
            BackfillScope(dataset, first, last, keys, reprocess, downstream, concurrency, descending, reason)
        )

    async def preview(
        self,
        dataset: str,
        *,
        first: str | None = None,
        last: str | None = None,
        partitions: Sequence[str] | None = None,
        reprocess: Reprocess = "none",
    ) -> BackfillPreview:
        """Return for how many partitions a backfill would start a task, wait for a task, or do nothing. Starts
        nothing."""
        keys = None if partitions is None else [*partitions]
        return await self._operations.preview_backfill(BackfillScope(dataset, first, last, keys, reprocess))

    async def get(self, id: UUID | str) -> Backfill:
        """Return a backfill with its progress."""
        return await self._operations.get_backfill(read_uuid(id, "a backfill"))

    async def wait(self, id: UUID | str, *, timeout: float | None = None) -> Backfill:
        """Wait until a backfill has completed, failed or been cancelled, and return it. Raises TimeoutError after
        `timeout` seconds."""
        async with asyncio.timeout(timeout):
            while (backfill := await self.get(id)).status not in ENDED:
                await asyncio.sleep(POLL_SECONDS)
        return backfill

    async def tasks(self, id: UUID | str) -> list[BackfillTask]:
        """Return the tasks of a backfill that have not completed."""
        backfill_id = read_uuid(id, "a backfill")
        return await all_pages(
            lambda last: self._operations.list_backfill_tasks(backfill_id, after=last and last.task_id)
        )

    async def pause(self, id: UUID | str) -> None:
        """Pause a backfill: it starts no more tasks until it is resumed."""
        await self._operations.pause_backfill(read_uuid(id, "a backfill"))

    async def resume(self, id: UUID | str) -> None:
        """Resume a paused backfill where it stopped."""
        await self._operations.resume_backfill(read_uuid(id, "a backfill"))

    async def cancel(self, id: UUID | str) -> None:
        """Cancel a backfill, and its tasks that have not ended. Committed data stays."""
        await self._operations.cancel_backfill(read_uuid(id, "a backfill"))

    async def reconcile(self, dataset: str, *, after: str | None = None, limit: int = 100) -> Reconciliation:
        """Return about `limit` partitions of a dataset that are missing although the inputs of its job have them, with
        the reasons. To continue, pass `next` of the result as `after`. `start(dataset, partitions=…)` computes the
        missing partitions."""
        return await self._operations.reconcile_dataset(dataset, after=after, limit=limit)

    async def list(self, *, dataset: str | None = None, status: str | None = None) -> list[Backfill]:
        """Return all backfills, or only the backfills of a dataset or with a status, newest first."""
        return await all_pages(
            lambda last: self._operations.list_backfills(dataset=dataset, status=status, before=last and last.id)
        )


class SyncBackfillCollection:
    """The backfills of an org, for synchronous code."""

    def __init__(self, backfills: BackfillCollection, wait: Wait) -> None:
        self._backfills, self._wait = backfills, wait

    def start(
        self,
        dataset: str,
        *,
        first: str | None = None,
        last: str | None = None,
        partitions: Sequence[str] | None = None,
        reprocess: Reprocess = "none",
        downstream: Downstream = "all",
        concurrency: int = 100,
        descending: bool = False,
        reason: str | None = None,
    ) -> Backfill:
        """Start a backfill of a dataset: of the partitions from `first` to `last`, both included, or of a list of
        partitions. See BackfillCollection.start."""
        return self._wait(
            self._backfills.start(
                dataset,
                first=first,
                last=last,
                partitions=partitions,
                reprocess=reprocess,
                downstream=downstream,
                concurrency=concurrency,
                descending=descending,
                reason=reason,
            )
        )

    def preview(
        self,
        dataset: str,
        *,
        first: str | None = None,
        last: str | None = None,
        partitions: Sequence[str] | None = None,
        reprocess: Reprocess = "none",
    ) -> BackfillPreview:
        """Return for how many partitions a backfill would start a task, wait for a task, or do nothing. Starts
        nothing."""
        return self._wait(
            self._backfills.preview(dataset, first=first, last=last, partitions=partitions, reprocess=reprocess)
        )

    def get(self, id: UUID | str) -> Backfill:
        """Return a backfill with its progress."""
        return self._wait(self._backfills.get(id))

    def wait(self, id: UUID | str, *, timeout: float | None = None) -> Backfill:
        """Wait until a backfill has completed, failed or been cancelled, and return it. Raises TimeoutError after
        `timeout` seconds."""
        return self._wait(self._backfills.wait(id, timeout=timeout))

    def tasks(self, id: UUID | str) -> list[BackfillTask]:
        """Return the tasks of a backfill that have not completed."""
        return self._wait(self._backfills.tasks(id))

    def pause(self, id: UUID | str) -> None:
        """Pause a backfill: it starts no more tasks until it is resumed."""
        self._wait(self._backfills.pause(id))

    def resume(self, id: UUID | str) -> None:
        """Resume a paused backfill where it stopped."""
        self._wait(self._backfills.resume(id))

    def cancel(self, id: UUID | str) -> None:
        """Cancel a backfill, and its tasks that have not ended. Committed data stays."""
        self._wait(self._backfills.cancel(id))

    def reconcile(self, dataset: str, *, after: str | None = None, limit: int = 100) -> Reconciliation:
        """Return about `limit` partitions of a dataset that are missing although the inputs of its job have them, with
        the reasons. To continue, pass `next` of the result as `after`."""
        return self._wait(self._backfills.reconcile(dataset, after=after, limit=limit))

    def list(self, *, dataset: str | None = None, status: str | None = None) -> list[Backfill]:
        """Return all backfills, or only the backfills of a dataset or with a status, newest first."""
        return self._wait(self._backfills.list(dataset=dataset, status=status))
