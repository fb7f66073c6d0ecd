"""DAGs and their jobs: `await tn.dags.deploy(Path("orders.yaml"))`, `await tn.jobs.pause("orders", "daily")`."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tenuto.dag.definitions import Dag
from tenuto.dag.diff import Diff
from tenuto.dag.parse import parse_dag
from tenuto.dag.plan import Plan
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
from tenuto.model.errors import InvalidInput
from tenuto.model.events import Reaction
from tenuto.sdk.client.loop_thread import Wait
from tenuto.sdk.collections.pages import all_pages

if TYPE_CHECKING:
    from tenuto.sdk.app import App
    from tenuto.sdk.operations.dags import DagOperations


class DagCollection:
    """The DAGs of an org and their versions. A document is passed as YAML text, or as the Path of a YAML file. Its jobs
    can run functions that workers have declared, and functions of the app of the client."""

    def __init__(self, operations: "DagOperations", app: "App | None" = None) -> None:
        self._operations = operations
        self._functions = app.functions if app is not None else {}

    async def plan(self, document: str | Path) -> Plan:
        """Return what a deploy of this document would change, compared with the current version."""
        return await self._operations.plan_dag(await _read(document), functions=self._functions)

    async def deploy(self, document: str | Path, *, cutover: bool = False) -> DeployedVersion:
        """Store a document as a version of its DAG. Its new datasets are computed beside the current ones: the version
        is `building`, then `ready`. With `cutover`, it becomes current as soon as it is ready. Deploying the same
        document again returns the same version. If that version had failed, the datasets that failed are computed
        again."""
        dag = await _read(document)
        return await self._operations.deploy_dag(dag, cutover=cutover, functions=self._functions)

    async def get(self, name: str, version: int | None = None) -> DagVersionText:
        """Return a version of a DAG with its YAML. Without `version`, this is the current version, or the newest if
        none is current."""
        return await self._operations.get_dag_version(name, version)

    async def diff(self, name: str, old: int, new: int) -> Diff:
        """Return what differs between two versions of a DAG, and which jobs are computed again."""
        return await self._operations.compare_versions(name, old, new)

    async def cutover(
        self, name: str, version: int | None = None, *, expected: int | None = None, force: bool = False
    ) -> CurrentVersion:
        """Make a version of a DAG current, with all of its datasets: by default the newest version that is ready.
        Raises Conflict if `expected` is passed and another version is current. With `expected=0`, raises Conflict if
        any version is current. `force` allows a version that is not ready. Only admins can use it."""
        return await self._operations.cutover_dag(name, version=version, expected=expected, force=force)

    async def rollback(self, name: str, version: int | None = None, *, expected: int | None = None) -> CurrentVersion:
        """Make an earlier version current again, with the datasets that it had: by default the version that the current
        one replaced."""
        return await self._operations.rollback_dag(name, version=version, expected=expected)

    async def delete(self, name: str, *, force: bool = False, dry_run: bool = False) -> DeletedDag:
        """Delete a DAG with its datasets and their data. Only admins can do this. Raises Conflict while a job of
        another DAG reads one of the datasets. Also raises Conflict while a version is computed or a task has not ended;
        with `force`, these are cancelled instead. `dry_run`: return what would be deleted, and delete nothing."""
        return await self._operations.delete_dag(name, force=force, dry_run=dry_run)

    async def versions(self, name: str) -> list[DagVersion]:
        """Return all versions of a DAG, newest first."""
        return await all_pages(
            lambda last: self._operations.list_dag_versions(name, before=last.version if last else None)
        )

    async def list(self) -> list[DagSummary]:
        """Return all DAGs, by name, each with its current and its newest version."""
        return await all_pages(lambda last: self._operations.list_dags(after=last and last.name))


class SyncDagCollection:
    """The DAGs of an org and their versions, for synchronous code."""

    def __init__(self, dags: DagCollection, wait: Wait) -> None:
        self._dags, self._wait = dags, wait

    def plan(self, document: str | Path) -> Plan:
        """Return what a deploy of this document would change, compared with the current version."""
        return self._wait(self._dags.plan(document))

    def deploy(self, document: str | Path, *, cutover: bool = False) -> DeployedVersion:
        """Store a document as a version of its DAG. With `cutover`, the version becomes current as soon as it is
        ready."""
        return self._wait(self._dags.deploy(document, cutover=cutover))

    def get(self, name: str, version: int | None = None) -> DagVersionText:
        """Return a version of a DAG with its YAML. Without `version`, this is the current version, or the newest if
        none is current."""
        return self._wait(self._dags.get(name, version))

    def diff(self, name: str, old: int, new: int) -> Diff:
        """Return what differs between two versions of a DAG, and which jobs are computed again."""
        return self._wait(self._dags.diff(name, old, new))

    def cutover(
        self, name: str, version: int | None = None, *, expected: int | None = None, force: bool = False
    ) -> CurrentVersion:
        """Make a version of a DAG current, with all of its datasets: by default the newest version that is ready. See
        DagCollection.cutover."""
        return self._wait(self._dags.cutover(name, version, expected=expected, force=force))

    def rollback(self, name: str, version: int | None = None, *, expected: int | None = None) -> CurrentVersion:
        """Make an earlier version current again, with the datasets that it had: by default the version that the current
        one replaced."""
        return self._wait(self._dags.rollback(name, version, expected=expected))

    def delete(self, name: str, *, force: bool = False, dry_run: bool = False) -> DeletedDag:
        """Delete a DAG with its datasets and their data. Only admins can do this. Raises Conflict while a job of
        another DAG reads one of the datasets. Also raises Conflict while a version is computed or a task has not ended;
        with `force`, these are cancelled instead. `dry_run`: return what would be deleted, and delete nothing."""
        return self._wait(self._dags.delete(name, force=force, dry_run=dry_run))

    def versions(self, name: str) -> list[DagVersion]:
        """Return all versions of a DAG, newest first."""
        return self._wait(self._dags.versions(name))

    def list(self) -> list[DagSummary]:
        """Return all DAGs, by name, each with its current and its newest version."""
        return self._wait(self._dags.list())


class JobCollection:
    """The jobs of DAGs."""

    def __init__(self, operations: "DagOperations") -> None:
        self._operations = operations

    async def get(self, dag: str, name: str) -> WholeJob:
        """Return a job with its definition in the current version of its DAG, or in the newest if none is current."""
        return await self._operations.get_job(dag, name)

    async def source(self, dag: str, name: str) -> SourceState:
        """Return the state of a source job: active or stopped; for a continuous source pending, running, draining, dead
        or stopped."""
        return await self._operations.get_source(dag, name)

    async def pause(self, dag: str, name: str, reason: str | None = None) -> None:
        """Pause a job: it starts no tasks until it is resumed, in later versions of its DAG too."""
        await self._operations.pause_job(dag, name, reason)

    async def resume(self, dag: str, name: str) -> None:
        """Resume a paused job."""
        await self._operations.resume_job(dag, name)

    async def trigger(
        self,
        dag: str,
        name: str,
        partitions: Sequence[str] | None = None,
        *,
        force: bool = False,
        dedupe_key: str | None = None,
    ) -> list[TriggeredTask]:
        """Start a task of a job, or one task for each partition, in the current version of its DAG. The inputs of these
        tasks are fixed now. If a partition was computed from the same inputs before, that data is reused. Raises
        Conflict if the job is paused. `force`: reuse no data, and start the tasks even if the job is paused. With a
        `dedupe_key`, each partition is started only once for this key."""
        keys = None if partitions is None else [*partitions]
        return await self._operations.trigger_job(dag, name, partitions=keys, force=force, dedupe_key=dedupe_key)

    async def reactions(self, dag: str, name: str, *, limit: int = 50) -> list[Reaction]:
        """Return the newest event reactions of a job: what each event did to it, and why."""
        return await self._operations.list_job_reactions(dag, name, limit=limit)

    async def list(self, *, dag: str | None = None) -> list[JobSummary]:
        """Return all jobs of current versions, or only the jobs of one DAG, in the order of DAG and name."""
        return await all_pages(
            lambda last: self._operations.list_jobs(dag=dag, after=f"{last.dag}/{last.name}" if last else None)
        )


class SyncJobCollection:
    """The jobs of DAGs, for synchronous code."""

    def __init__(self, jobs: JobCollection, wait: Wait) -> None:
        self._jobs, self._wait = jobs, wait

    def get(self, dag: str, name: str) -> WholeJob:
        """Return a job with its definition in the current version of its DAG, or in the newest if none is current."""
        return self._wait(self._jobs.get(dag, name))

    def source(self, dag: str, name: str) -> SourceState:
        """Return the state of a source job: active or stopped; for a continuous source pending, running, draining, dead
        or stopped."""
        return self._wait(self._jobs.source(dag, name))

    def pause(self, dag: str, name: str, reason: str | None = None) -> None:
        """Pause a job: it starts no tasks until it is resumed, in later versions of its DAG too."""
        self._wait(self._jobs.pause(dag, name, reason))

    def resume(self, dag: str, name: str) -> None:
        """Resume a paused job."""
        self._wait(self._jobs.resume(dag, name))

    def trigger(
        self,
        dag: str,
        name: str,
        partitions: Sequence[str] | None = None,
        *,
        force: bool = False,
        dedupe_key: str | None = None,
    ) -> list[TriggeredTask]:
        """Start a task of a job, or one task for each partition, in the current version of its DAG. The inputs of these
        tasks are fixed now. If a partition was computed from the same inputs before, that data is reused. Raises
        Conflict if the job is paused. `force`: reuse no data, and start the tasks even if the job is paused. With a
        `dedupe_key`, each partition is started only once for this key."""
        return self._wait(self._jobs.trigger(dag, name, partitions, force=force, dedupe_key=dedupe_key))

    def reactions(self, dag: str, name: str, *, limit: int = 50) -> list[Reaction]:
        """Return the newest event reactions of a job: what each event did to it, and why."""
        return self._wait(self._jobs.reactions(dag, name, limit=limit))

    def list(self, *, dag: str | None = None) -> list[JobSummary]:
        """Return all jobs of current versions, or only the jobs of one DAG, in the order of DAG and name."""
        return self._wait(self._jobs.list(dag=dag))


async def _read(document: str | Path) -> Dag:
    """Reads and checks a document in a thread, because a large document takes a second."""
    if isinstance(document, str) and document.endswith((".yaml", ".yml")) and "\n" not in document:
        raise InvalidInput(f"{document!r:.200} is the name of a file, not a document", "pass Path(…) for a file")
    return await asyncio.to_thread(lambda: parse_dag(document if isinstance(document, str) else document.read_bytes()))
