"""Datasets: `await tn.datasets.get("orders_daily")`, `await tn.datasets.grant("orders_daily", "finance")`."""

from typing import TYPE_CHECKING
from uuid import UUID

from tenuto.model.datasets import Cursor, Dataset, DatasetVersion, Partition, PurgedVersion, WholeDataset
from tenuto.model.events import Event
from tenuto.model.lineage import DEPTH, Direction
from tenuto.model.lineage_graph import LineageGraph
from tenuto.sdk.client.loop_thread import Wait
from tenuto.sdk.collections.pages import all_pages

if TYPE_CHECKING:
    from tenuto.sdk.operations.dags import DagOperations


class DatasetCollection:
    """The datasets of an org."""

    def __init__(self, operations: "DagOperations") -> None:
        self._operations = operations

    async def get(self, name: str) -> WholeDataset:
        """Return a dataset with the definition of its current version."""
        return await self._operations.get_dataset(name)

    async def grant(self, name: str, role: str) -> None:
        """Let a role of the org read a dataset. Does nothing if the role can read it already."""
        await self._operations.grant_dataset(name, role)

    async def revoke(self, name: str, role: str) -> None:
        """Revoke the right of a role to read a dataset. If no role is left, only admins can read it."""
        await self._operations.revoke_dataset(name, role)

    async def purge(self, name: str, *, keep: int | None = None, dry_run: bool = False) -> list[PurgedVersion]:
        """Purge all versions of a dataset except the newest `keep`, and return the purged versions. The default of
        `keep` is `retention.keep_versions` of the job output that publishes the dataset. A version is also kept if it
        is current, can become current, or is used by a task that has not ended. `dry_run`: purge nothing."""
        return await self._operations.purge_dataset(name, keep=keep, dry_run=dry_run)

    async def delete(self, name: str, *, dry_run: bool = False) -> int:
        """Delete a dataset and return how many versions it had. Only admins can do this. Raises Conflict while a
        version of a DAG publishes or reads it, if that version is current or can become current without a rollback.
        Also raises Conflict while a task that has not ended uses it. `dry_run`: only return the number."""
        return await self._operations.delete_dataset(name, dry_run=dry_run)

    async def versions(self, name: str) -> list[DatasetVersion]:
        """Return all versions of a dataset, newest first, each with the versions of its DAG that contain it."""
        return await all_pages(
            lambda last: self._operations.list_dataset_versions(name, before=last.id if last else None)
        )

    async def partitions(
        self, name: str, *, version_id: UUID | None = None, after: str | None = None, limit: int = 200
    ) -> list[Partition]:
        """Return a page of the committed partitions of a dataset, in the order of their keys, starting after the key
        `after`. `version_id`: the version of the dataset, by default the current one. Each partition names the task
        that published it. A dataset can have millions of partitions."""
        return await self._operations.list_partitions(name, version_id=version_id, after=after, limit=limit)

    async def lineage(
        self,
        name: str,
        *,
        column: str | None = None,
        version_id: UUID | None = None,
        direction: Direction = "both",
        depth: int = DEPTH,
    ) -> LineageGraph:
        """Return what a dataset, or one of its columns, was computed from (`up`) and what was computed from it
        (`down`), up to `depth` steps away. `version_id` is the version of the dataset, by default the current one."""
        return await self._operations.get_lineage(
            name, column=column, version_id=version_id, direction=direction, depth=depth
        )

    async def cursors(self, name: str) -> list[Cursor]:
        """Return the jobs that have read the current version of a dataset, each with how far it has read."""
        return await all_pages(lambda last: self._operations.list_cursors(name, after=last.job_key if last else None))

    async def events(self, name: str, *, before: UUID | None = None, limit: int = 50) -> list[Event]:
        """Return a page of the events of a dataset, newest first: its commits, and the events that tasks emitted.
        `before`: the id of the last event of the previous page."""
        return await self._operations.list_events(dataset=name, before=before, limit=limit)

    async def list(self) -> list[Dataset]:
        """Return all datasets, by name, each with its producer, its current version and the roles that can read it."""
        return await all_pages(lambda last: self._operations.list_datasets(after=last and last.name))


class SyncDatasetCollection:
    """The datasets of an org, for synchronous code."""

    def __init__(self, datasets: DatasetCollection, wait: Wait) -> None:
        self._datasets, self._wait = datasets, wait

    def get(self, name: str) -> WholeDataset:
        """Return a dataset with the definition of its current version."""
        return self._wait(self._datasets.get(name))

    def grant(self, name: str, role: str) -> None:
        """Let a role of the org read a dataset. Does nothing if the role can read it already."""
        self._wait(self._datasets.grant(name, role))

    def revoke(self, name: str, role: str) -> None:
        """Revoke the right of a role to read a dataset. If no role is left, only admins can read it."""
        self._wait(self._datasets.revoke(name, role))

    def purge(self, name: str, *, keep: int | None = None, dry_run: bool = False) -> list[PurgedVersion]:
        """Purge all versions of a dataset except the newest `keep`, and return the purged versions. See
        DatasetCollection.purge."""
        return self._wait(self._datasets.purge(name, keep=keep, dry_run=dry_run))

    def delete(self, name: str, *, dry_run: bool = False) -> int:
        """Delete a dataset and return how many versions it had. Only admins can do this. Raises Conflict while a
        version of a DAG publishes or reads it, if that version is current or can become current without a rollback.
        Also raises Conflict while a task that has not ended uses it. `dry_run`: only return the number."""
        return self._wait(self._datasets.delete(name, dry_run=dry_run))

    def versions(self, name: str) -> list[DatasetVersion]:
        """Return all versions of a dataset, newest first, each with the versions of its DAG that contain it."""
        return self._wait(self._datasets.versions(name))

    def partitions(
        self, name: str, *, version_id: UUID | None = None, after: str | None = None, limit: int = 200
    ) -> list[Partition]:
        """Return a page of the committed partitions of a dataset, in the order of their keys, starting after the key
        `after`. `version_id`: the version of the dataset, by default the current one. Each partition names the task
        that published it. A dataset can have millions of partitions."""
        return self._wait(self._datasets.partitions(name, version_id=version_id, after=after, limit=limit))

    def lineage(
        self,
        name: str,
        *,
        column: str | None = None,
        version_id: UUID | None = None,
        direction: Direction = "both",
        depth: int = DEPTH,
    ) -> LineageGraph:
        """Return what a dataset, or one of its columns, was computed from (`up`) and what was computed from it
        (`down`), up to `depth` steps away. `version_id` is the version of the dataset, by default the current one."""
        return self._wait(
            self._datasets.lineage(name, column=column, version_id=version_id, direction=direction, depth=depth)
        )

    def cursors(self, name: str) -> list[Cursor]:
        """Return the jobs that have read the current version of a dataset, each with how far it has read."""
        return self._wait(self._datasets.cursors(name))

    def events(self, name: str, *, before: UUID | None = None, limit: int = 50) -> list[Event]:
        """Return a page of the events of a dataset, newest first: its commits, and the events that tasks emitted.
        `before`: the id of the last event of the previous page."""
        return self._wait(self._datasets.events(name, before=before, limit=limit))

    def list(self) -> list[Dataset]:
        """Return all datasets, by name, each with its producer, its current version and the roles that can read it."""
        return self._wait(self._datasets.list())
