"""DAGs, jobs and datasets on the database: calls the SQL functions directly, each operation in one transaction."""

from collections.abc import Awaitable, Callable, Collection
from typing import TypeVar
from uuid import UUID

from tenuto.dag.definitions import Dag
from tenuto.dag.diff import Diff
from tenuto.dag.plan import Plan
from tenuto.db import dags, datasets, events, webhooks
from tenuto.db.connection.call import Conn
from tenuto.db.connection.pool import ConnectionPool
from tenuto.model.dags import (
    CurrentVersion,
    DagSummary,
    DagVersion,
    DagVersionText,
    DeletedDag,
    DeployedVersion,
    JobSummary,
    SourceState,
    TriggeredTask,
    WholeJob,
)
from tenuto.model.datasets import Cursor, Dataset, DatasetVersion, Partition, PurgedVersion, WholeDataset
from tenuto.model.events import Event, Reaction
from tenuto.model.lineage import DEPTH, Direction
from tenuto.model.lineage_graph import LineageGraph
from tenuto.model.webhooks import Webhook
from tenuto.sdk.client.http_transport import read
from tenuto.sdk.client.transport import PAGE
from tenuto.sdk.operations import deploys

T = TypeVar("T")


class SqlDags:
    """The DAGs, jobs and datasets of one org. `actor` is recorded in the history of deploys."""

    def __init__(self, pool: ConnectionPool, org_id: UUID, *, actor: str) -> None:
        self._pool, self._org_id, self._actor = pool, org_id, actor

    async def _in_one(self, work: Callable[[Conn], Awaitable[T]]) -> T:
        async with self._pool.connection() as conn, conn.transaction():
            return await work(conn)

    async def list_dags(self, *, after: str | None = None, limit: int = PAGE) -> list[DagSummary]:
        return await self._pool.call(dags.list_dags, org_id=self._org_id, after=after, limit=limit)

    async def plan_dag(self, dag: Dag, *, functions: Collection[str] = ()) -> Plan:
        return await self._in_one(
            lambda conn: deploys.plan_dag(conn, org_id=self._org_id, dag=dag, functions=functions)
        )

    async def deploy_dag(self, dag: Dag, *, cutover: bool, functions: Collection[str] = ()) -> DeployedVersion:
        deployed = await self._in_one(
            lambda conn: deploys.deploy_dag(
                conn, org_id=self._org_id, dag=dag, actor=self._actor, cutover=cutover, functions=functions
            )
        )
        return deployed.version

    async def list_dag_versions(self, name: str, *, before: int | None = None, limit: int = PAGE) -> list[DagVersion]:
        return await self._pool.call(dags.list_dag_versions, org_id=self._org_id, name=name, before=before, limit=limit)

    async def get_dag_version(self, name: str, version: int | None = None) -> DagVersionText:
        return await self._in_one(lambda conn: deploys.get_dag(conn, org_id=self._org_id, name=name, version=version))

    async def compare_versions(self, name: str, old: int, new: int) -> Diff:
        return await self._in_one(
            lambda conn: deploys.compare_versions(conn, org_id=self._org_id, name=name, old=old, new=new)
        )

    async def cutover_dag(
        self, name: str, *, version: int | None, expected: int | None, force: bool = False
    ) -> CurrentVersion:
        async def work(conn: Conn) -> CurrentVersion:
            return await datasets.cutover_dag(
                conn,
                org_id=self._org_id,
                name=name,
                expected=await self._expected(conn, name, expected),
                actor=self._actor,
                version=version,
                force=force,
            )

        return await self._in_one(work)

    async def rollback_dag(self, name: str, *, version: int | None, expected: int | None) -> CurrentVersion:
        async def work(conn: Conn) -> CurrentVersion:
            return await datasets.rollback_dag(
                conn,
                org_id=self._org_id,
                name=name,
                expected=await self._expected(conn, name, expected),
                actor=self._actor,
                version=version,
            )

        return await self._in_one(work)

    async def _expected(self, conn: Conn, name: str, expected: int | None) -> int:
        if expected is not None:
            return expected
        return await deploys.current_version(conn, org_id=self._org_id, name=name)

    async def delete_dag(self, name: str, *, force: bool, dry_run: bool) -> DeletedDag:
        return await self._pool.call(
            datasets.delete_dag, org_id=self._org_id, name=name, actor=self._actor, force=force, dry_run=dry_run
        )

    async def list_jobs(
        self, *, dag: str | None = None, after: str | None = None, limit: int = PAGE
    ) -> list[JobSummary]:
        after_dag, _, after_name = (after or "").partition("/")
        return await self._pool.call(
            dags.list_jobs, org_id=self._org_id, dag=dag, after_dag=after_dag, after=after_name, limit=limit
        )

    async def get_job(self, dag: str, name: str) -> WholeJob:
        return await self._pool.call(dags.get_job, org_id=self._org_id, dag=dag, name=name)

    async def get_source(self, dag: str, name: str) -> SourceState:
        return await self._pool.call(dags.get_source, org_id=self._org_id, dag=dag, name=name)

    async def pause_job(self, dag: str, name: str, reason: str | None) -> None:
        await self._pool.call(dags.pause_job, org_id=self._org_id, dag=dag, name=name, reason=reason)

    async def resume_job(self, dag: str, name: str) -> None:
        await self._pool.call(dags.resume_job, org_id=self._org_id, dag=dag, name=name)

    async def trigger_job(
        self,
        dag: str,
        name: str,
        *,
        partitions: list[str] | None = None,
        force: bool = False,
        dedupe_key: str | None = None,
    ) -> list[TriggeredTask]:
        return await self._pool.call(
            dags.trigger_job,
            org_id=self._org_id,
            dag=dag,
            name=name,
            partitions=partitions,
            force=force,
            dedupe_key=dedupe_key,
        )

    async def get_webhook(self, dag: str, name: str, *, rotate: bool = False) -> Webhook:
        function = webhooks.rotate_webhook if rotate else webhooks.get_webhook
        return await self._pool.call(function, org_id=self._org_id, dag=dag, name=name)

    async def list_events(
        self, *, dataset: str | None = None, before: UUID | None = None, limit: int = PAGE
    ) -> list[Event]:
        return await self._pool.call(
            events.list_events, org_id=self._org_id, dataset=dataset, before=before, limit=limit
        )

    async def list_event_reactions(self, event_id: UUID, *, limit: int = PAGE) -> list[Reaction]:
        return await self._pool.call(events.list_reactions, org_id=self._org_id, event_id=event_id, limit=limit)

    async def list_job_reactions(self, dag: str, name: str, *, limit: int = PAGE) -> list[Reaction]:
        return await self._pool.call(events.list_reactions, org_id=self._org_id, dag=dag, name=name, limit=limit)

    async def list_datasets(self, *, after: str | None = None, limit: int = PAGE) -> list[Dataset]:
        return await self._pool.call(datasets.list_datasets, org_id=self._org_id, after=after, limit=limit)

    async def get_dataset(self, name: str) -> WholeDataset:
        return await self._pool.call(datasets.get_dataset, org_id=self._org_id, name=name)

    async def list_dataset_versions(
        self, name: str, *, before: UUID | None = None, limit: int = PAGE
    ) -> list[DatasetVersion]:
        return await self._pool.call(
            datasets.list_dataset_versions, org_id=self._org_id, name=name, before=before, limit=limit
        )

    async def list_partitions(
        self, name: str, *, version_id: UUID | None = None, after: str | None = None, limit: int = PAGE
    ) -> list[Partition]:
        return await self._pool.call(
            datasets.list_partitions, org_id=self._org_id, name=name, version_id=version_id, after=after, limit=limit
        )

    async def get_lineage(
        self,
        name: str,
        *,
        column: str | None = None,
        version_id: UUID | None = None,
        direction: Direction = "both",
        depth: int = DEPTH,
    ) -> LineageGraph:
        found = await self._pool.call(
            datasets.get_lineage,
            org_id=self._org_id,
            dataset=name,
            column=column,
            version_id=version_id,
            up=direction != "down",
            down=direction != "up",
            depth=depth,
            every=True,
        )
        return read(LineageGraph, found)

    async def list_cursors(self, name: str, *, after: UUID | None = None, limit: int = PAGE) -> list[Cursor]:
        return await self._pool.call(datasets.list_cursors, org_id=self._org_id, name=name, after=after, limit=limit)

    async def purge_dataset(self, name: str, *, keep: int | None, dry_run: bool) -> list[PurgedVersion]:
        return await self._pool.call(datasets.purge_dataset, org_id=self._org_id, name=name, keep=keep, dry_run=dry_run)

    async def delete_dataset(self, name: str, *, dry_run: bool) -> int:
        return await self._pool.call(datasets.delete_dataset, org_id=self._org_id, name=name, dry_run=dry_run)

    async def grant_dataset(self, name: str, role: str) -> None:
        await self._pool.call(datasets.grant_dataset, org_id=self._org_id, name=name, role=role)

    async def revoke_dataset(self, name: str, role: str) -> None:
        await self._pool.call(datasets.revoke_dataset, org_id=self._org_id, name=name, role=role)
