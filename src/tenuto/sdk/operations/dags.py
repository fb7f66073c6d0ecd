"""DAGs, jobs and datasets: the interface of clients and commands, and its implementation as requests to a server."""

from collections.abc import Collection, Mapping
from typing import Protocol, TypeVar
from urllib.parse import quote
from uuid import UUID

from tenuto.dag.definitions import Dag
from tenuto.dag.diff import Diff
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
from tenuto.model.datasets import Cursor, Dataset, DatasetVersion, Partition, PurgedVersion, WholeDataset
from tenuto.model.events import Event, Reaction
from tenuto.model.lineage import DEPTH, Direction
from tenuto.model.lineage_graph import LineageGraph
from tenuto.model.webhooks import Webhook
from tenuto.sdk.client.http_client import Http
from tenuto.sdk.client.http_transport import read
from tenuto.sdk.client.transport import PAGE
from tenuto.sdk.values.wire_format import dump

T = TypeVar("T")


class DagOperations(Protocol):
    """Operations on the DAGs, jobs and datasets of one org."""

    async def list_dags(self, *, after: str | None = None, limit: int = PAGE) -> list[DagSummary]: ...

    async def plan_dag(self, dag: Dag, *, functions: Collection[str] = ()) -> Plan:
        """Return what a deploy would change, compared with the current version. `functions`: what the app of the caller
        declares."""
        ...

    async def deploy_dag(self, dag: Dag, *, cutover: bool, functions: Collection[str] = ()) -> DeployedVersion: ...

    async def list_dag_versions(
        self, name: str, *, before: int | None = None, limit: int = PAGE
    ) -> list[DagVersion]: ...

    async def get_dag_version(self, name: str, version: int | None = None) -> DagVersionText:
        """Return a version with its YAML: by default the current version, or the newest if none is current."""
        ...

    async def compare_versions(self, name: str, old: int, new: int) -> Diff: ...

    async def cutover_dag(
        self, name: str, *, version: int | None, expected: int | None, force: bool = False
    ) -> CurrentVersion: ...

    async def rollback_dag(self, name: str, *, version: int | None, expected: int | None) -> CurrentVersion: ...

    async def delete_dag(self, name: str, *, force: bool, dry_run: bool) -> DeletedDag: ...

    async def list_jobs(
        self, *, dag: str | None = None, after: str | None = None, limit: int = PAGE
    ) -> list[JobSummary]:
        """Return a page of jobs, by DAG and name; `after` is DAG/JOB."""
        ...

    async def get_job(self, dag: str, name: str) -> WholeJob: ...

    async def get_source(self, dag: str, name: str) -> SourceState: ...

    async def pause_job(self, dag: str, name: str, reason: str | None) -> None: ...

    async def resume_job(self, dag: str, name: str) -> None: ...

    async def trigger_job(
        self,
        dag: str,
        name: str,
        *,
        partitions: list[str] | None = None,
        force: bool = False,
        dedupe_key: str | None = None,
    ) -> list[TriggeredTask]: ...

    async def get_webhook(self, dag: str, name: str, *, rotate: bool = False) -> Webhook:
        """Return the webhook of a job. `rotate`: replace its secret first. Only a server can derive the secret, so over
        SQL it is missing."""
        ...

    async def list_events(
        self, *, dataset: str | None = None, before: UUID | None = None, limit: int = PAGE
    ) -> list[Event]: ...

    async def list_event_reactions(self, event_id: UUID, *, limit: int = PAGE) -> list[Reaction]: ...

    async def list_job_reactions(self, dag: str, name: str, *, limit: int = PAGE) -> list[Reaction]: ...

    async def list_datasets(self, *, after: str | None = None, limit: int = PAGE) -> list[Dataset]: ...

    async def get_dataset(self, name: str) -> WholeDataset: ...

    async def list_dataset_versions(
        self, name: str, *, before: UUID | None = None, limit: int = PAGE
    ) -> list[DatasetVersion]: ...

    async def list_partitions(
        self, name: str, *, version_id: UUID | None = None, after: str | None = None, limit: int = PAGE
    ) -> list[Partition]: ...

    async def get_lineage(
        self,
        name: str,
        *,
        column: str | None = None,
        version_id: UUID | None = None,
        direction: Direction = "both",
        depth: int = DEPTH,
    ) -> LineageGraph: ...

    async def list_cursors(self, name: str, *, after: UUID | None = None, limit: int = PAGE) -> list[Cursor]: ...

    async def purge_dataset(self, name: str, *, keep: int | None, dry_run: bool) -> list[PurgedVersion]: ...

    async def delete_dataset(self, name: str, *, dry_run: bool) -> int:
        """Delete a dataset and return how many versions it had. With `dry_run`, delete nothing."""
        ...

    async def grant_dataset(self, name: str, role: str) -> None: ...

    async def revoke_dataset(self, name: str, role: str) -> None: ...


class HttpDags:
    """Sends the operations on DAGs, jobs and datasets to a server."""

    def __init__(self, http: Http) -> None:
        self.http = http

    async def list_dags(self, *, after: str | None = None, limit: int = PAGE) -> list[DagSummary]:
        return await self._items(DagSummary, "/v1/dags", {"after": after, "limit": limit})

    async def plan_dag(self, dag: Dag, *, functions: Collection[str] = ()) -> Plan:
        body = dump({"yaml": dag.yaml, "functions": sorted(dag.functions() & {*functions})})
        return read(Plan, await self.http.request("POST", f"{_dag(dag.name)}/plan", body))

    async def deploy_dag(self, dag: Dag, *, cutover: bool, functions: Collection[str] = ()) -> DeployedVersion:
        used = sorted(dag.functions() & {*functions})
        body = dump({"yaml": dag.yaml, "cutover": cutover, "functions": used})
        return read(DeployedVersion, await self.http.request("POST", f"{_dag(dag.name)}/versions", body))

    async def list_dag_versions(self, name: str, *, before: int | None = None, limit: int = PAGE) -> list[DagVersion]:
        return await self._items(DagVersion, f"{_dag(name)}/versions", {"before": before, "limit": limit})

    async def get_dag_version(self, name: str, version: int | None = None) -> DagVersionText:
        path = _dag(name) if version is None else f"{_dag(name)}/versions/{version}"
        return read(DagVersionText, await self.http.request("GET", path))

    async def compare_versions(self, name: str, old: int, new: int) -> Diff:
        return read(Diff, await self.http.request("GET", f"{_dag(name)}/diff", params={"old": old, "new": new}))

    async def cutover_dag(
        self, name: str, *, version: int | None, expected: int | None, force: bool = False
    ) -> CurrentVersion:
        return await self._move(f"{_dag(name)}/cutover", {"version": version, "expected": expected, "force": force})

    async def rollback_dag(self, name: str, *, version: int | None, expected: int | None) -> CurrentVersion:
        return await self._move(f"{_dag(name)}/rollback", {"version": version, "expected": expected})

    async def delete_dag(self, name: str, *, force: bool, dry_run: bool) -> DeletedDag:
        return read(
            DeletedDag, await self.http.request("DELETE", _dag(name), params={"force": force, "dry_run": dry_run})
        )

    async def _move(self, path: str, to: Mapping[str, object]) -> CurrentVersion:
        return read(CurrentVersion, await self.http.request("POST", path, dump(to)))

    async def list_jobs(
        self, *, dag: str | None = None, after: str | None = None, limit: int = PAGE
    ) -> list[JobSummary]:
        return await self._items(JobSummary, "/v1/jobs", {"dag": dag, "after": after, "limit": limit})

    async def get_job(self, dag: str, name: str) -> WholeJob:
        return read(WholeJob, await self.http.request("GET", _job(dag, name)))

    async def get_source(self, dag: str, name: str) -> SourceState:
        return read(SourceState, await self.http.request("GET", f"{_job(dag, name)}/source"))

    async def pause_job(self, dag: str, name: str, reason: str | None) -> None:
        await self.http.request("POST", f"{_job(dag, name)}/pause", dump({"reason": reason}))

    async def resume_job(self, dag: str, name: str) -> None:
        await self.http.request("POST", f"{_job(dag, name)}/resume")

    async def trigger_job(
        self,
        dag: str,
        name: str,
        *,
        partitions: list[str] | None = None,
        force: bool = False,
        dedupe_key: str | None = None,
    ) -> list[TriggeredTask]:
        body = dump({"partitions": partitions, "force": force, "dedupe_key": dedupe_key})
        answer = await self.http.request("POST", f"{_job(dag, name)}/trigger", body)
        return read(list[TriggeredTask], answer["items"])

    async def get_webhook(self, dag: str, name: str, *, rotate: bool = False) -> Webhook:
        path = f"{_job(dag, name)}/webhook"
        return read(
            Webhook,
            await self.http.request("POST", f"{path}/rotate") if rotate else await self.http.request("GET", path),
        )

    async def list_events(
        self, *, dataset: str | None = None, before: UUID | None = None, limit: int = PAGE
    ) -> list[Event]:
        return await self._items(Event, "/v1/events", {"dataset": dataset, "before": before, "limit": limit})

    async def list_event_reactions(self, event_id: UUID, *, limit: int = PAGE) -> list[Reaction]:
        return await self._items(Reaction, f"/v1/events/{event_id}/reactions", {"limit": limit})

    async def list_job_reactions(self, dag: str, name: str, *, limit: int = PAGE) -> list[Reaction]:
        return await self._items(Reaction, f"{_job(dag, name)}/reactions", {"limit": limit})

    async def list_datasets(self, *, after: str | None = None, limit: int = PAGE) -> list[Dataset]:
        return await self._items(Dataset, "/v1/datasets", {"after": after, "limit": limit})

    async def get_dataset(self, name: str) -> WholeDataset:
        return read(WholeDataset, await self.http.request("GET", f"/v1/datasets/{_quoted(name)}"))

    async def list_dataset_versions(
        self, name: str, *, before: UUID | None = None, limit: int = PAGE
    ) -> list[DatasetVersion]:
        page = {"before": before, "limit": limit}
        return await self._items(DatasetVersion, f"/v1/datasets/{_quoted(name)}/versions", page)

    async def list_partitions(
        self, name: str, *, version_id: UUID | None = None, after: str | None = None, limit: int = PAGE
    ) -> list[Partition]:
        page = {"version_id": version_id, "after": after, "limit": limit}
        return await self._items(Partition, f"/v1/datasets/{_quoted(name)}/partitions", page)

    async def get_lineage(
        self,
        name: str,
        *,
        column: str | None = None,
        version_id: UUID | None = None,
        direction: Direction = "both",
        depth: int = DEPTH,
    ) -> LineageGraph:
        asked = {"dataset": name, "column": column, "version_id": version_id, "direction": direction, "depth": depth}
        params = {key: value for key, value in asked.items() if value is not None}
        return read(LineageGraph, await self.http.request("GET", "/v1/lineage", params=params))

    async def list_cursors(self, name: str, *, after: UUID | None = None, limit: int = PAGE) -> list[Cursor]:
        return await self._items(Cursor, f"/v1/datasets/{_quoted(name)}/cursors", {"after": after, "limit": limit})

    async def purge_dataset(self, name: str, *, keep: int | None, dry_run: bool) -> list[PurgedVersion]:
        body = dump({"keep": keep, "dry_run": dry_run})
        answer = await self.http.request("POST", f"/v1/datasets/{_quoted(name)}/purge", body)
        return read(list[PurgedVersion], answer["versions"])

    async def delete_dataset(self, name: str, *, dry_run: bool) -> int:
        answer = await self.http.request("DELETE", f"/v1/datasets/{_quoted(name)}", params={"dry_run": dry_run})
        return read(int, answer["versions"])

    async def grant_dataset(self, name: str, role: str) -> None:
        await self.http.request("POST", f"/v1/datasets/{_quoted(name)}/grant", dump({"role": role}))

    async def revoke_dataset(self, name: str, role: str) -> None:
        await self.http.request("POST", f"/v1/datasets/{_quoted(name)}/revoke", dump({"role": role}))

    async def _items(self, kind: type[T], path: str, page: Mapping[str, object]) -> list[T]:
        params = {name: value for name, value in page.items() if value is not None}
        return read(list[kind], (await self.http.request("GET", path, params=params))["items"])


def _quoted(name: str) -> str:
    return quote(name, safe="")


def _dag(name: str) -> str:
    return f"/v1/dags/{_quoted(name)}"


def _job(dag: str, name: str) -> str:
    return f"/v1/jobs/{_quoted(dag)}/{_quoted(name)}"
