"""Deploys and datasets: one coroutine per public function in sql/datasets/."""

from datetime import datetime
from uuid import UUID

from psycopg.types.json import Jsonb

from tenuto.db.connection.call import Conn, call, call_one, call_value, call_values, call_void
from tenuto.model.dags import CurrentVersion, DeletedDag, DeployedVersion, DeployFacts
from tenuto.model.datasets import Cursor, Dataset, DatasetVersion, Partition, PurgedVersion, VersionFolder, WholeDataset
from tenuto.model.events import RoutedEffect
from tenuto.model.jobs import PageOfRows
from tenuto.model.json import JsonObject
from tenuto.model.queries import PinnedDataset


async def deploy_dag(
    conn: Conn,
    *,
    org_id: UUID,
    name: str,
    yaml: str,
    yaml_hash: str,
    hash_version: int,
    jobs: list[JsonObject],
    actor: str,
    plan: JsonObject | None = None,
    auto: bool | None = None,
    functions: list[str] | None = None,
) -> DeployedVersion:
    return await call_one(
        conn,
        "deploy_dag",
        DeployedVersion,
        org_id=org_id,
        name=name,
        yaml=yaml,
        yaml_hash=yaml_hash,
        hash_version=hash_version,
        jobs=Jsonb(jobs),
        actor=actor,
        plan=plan,
        auto=auto,
        functions=functions,
    )


async def cutover_dag(
    conn: Conn,
    *,
    org_id: UUID,
    name: str,
    expected: int,
    actor: str,
    version: int | None = None,
    plan: JsonObject | None = None,
    force: bool | None = None,
) -> CurrentVersion:
    return await call_one(
        conn,
        "cutover_dag",
        CurrentVersion,
        org_id=org_id,
        name=name,
        expected=expected,
        actor=actor,
        version=version,
        plan=plan,
        force=force,
    )


async def rollback_dag(
    conn: Conn, *, org_id: UUID, name: str, expected: int, actor: str, version: int | None = None
) -> CurrentVersion:
    return await call_one(
        conn,
        "rollback_dag",
        CurrentVersion,
        org_id=org_id,
        name=name,
        expected=expected,
        actor=actor,
        version=version,
    )


async def get_deploy_facts(conn: Conn, *, org_id: UUID, name: str, yaml_hash: str, datasets: list[str]) -> DeployFacts:
    return await call_one(
        conn, "get_deploy_facts", DeployFacts, org_id=org_id, name=name, yaml_hash=yaml_hash, datasets=datasets
    )


async def find_loop(conn: Conn, *, org_id: UUID, dag: str, edges: list[tuple[str, str]]) -> str | None:
    return await call_value(conn, "find_loop", org_id=org_id, dag=dag, edges=Jsonb(edges))


async def list_datasets(
    conn: Conn, *, org_id: UUID, after: str | None = None, limit: int | None = None
) -> list[Dataset]:
    return await call(conn, "list_datasets", Dataset, org_id=org_id, after=after, limit=limit)


async def get_dataset(conn: Conn, *, org_id: UUID, name: str) -> WholeDataset:
    return await call_one(conn, "get_dataset", WholeDataset, org_id=org_id, name=name)


async def list_dataset_versions(
    conn: Conn, *, org_id: UUID, name: str, before: UUID | None = None, limit: int | None = None
) -> list[DatasetVersion]:
    return await call(
        conn, "list_dataset_versions", DatasetVersion, org_id=org_id, name=name, before=before, limit=limit
    )


async def list_partitions(
    conn: Conn,
    *,
    org_id: UUID,
    name: str,
    version_id: UUID | None = None,
    after: str | None = None,
    limit: int | None = None,
) -> list[Partition]:
    return await call(
        conn,
        "list_partitions",
        Partition,
        org_id=org_id,
        name=name,
        version_id=version_id,
        after=after,
        limit=limit,
    )


async def list_cursors(
    conn: Conn, *, org_id: UUID, name: str, after: UUID | None = None, limit: int | None = None
) -> list[Cursor]:
    return await call(conn, "list_cursors", Cursor, org_id=org_id, name=name, after=after, limit=limit)


async def delete_dag(
    conn: Conn, *, org_id: UUID, name: str, actor: str, force: bool | None = None, dry_run: bool | None = None
) -> DeletedDag:
    return await call_one(
        conn, "delete_dag", DeletedDag, org_id=org_id, name=name, actor=actor, force=force, dry_run=dry_run
    )


async def delete_dataset(conn: Conn, *, org_id: UUID, name: str, dry_run: bool | None = None) -> int:
    return await call_value(conn, "delete_dataset", org_id=org_id, name=name, dry_run=dry_run)


async def purge_dataset(
    conn: Conn, *, org_id: UUID, name: str, keep: int | None = None, dry_run: bool | None = None
) -> list[PurgedVersion]:
    return await call(conn, "purge_dataset", PurgedVersion, org_id=org_id, name=name, keep=keep, dry_run=dry_run)


async def find_purged_data(conn: Conn, *, org_id: UUID, version_id: UUID) -> str | None:
    return await call_value(conn, "find_purged_data", org_id=org_id, version_id=version_id)


async def delete_partitions(conn: Conn, *, org_id: UUID, version_id: UUID, limit: int | None = None) -> int:
    return await call_value(conn, "delete_partitions", org_id=org_id, version_id=version_id, limit=limit)


async def drop_data_table(conn: Conn, *, org_id: UUID, version_id: UUID) -> None:
    await call_void(conn, "drop_data_table", org_id=org_id, version_id=version_id)


async def collect_rows(conn: Conn, *, limit: int | None = None) -> int:
    return await call_value(conn, "collect_rows", limit=limit)


async def take_staging_checks(conn: Conn, *, limit: int | None = None) -> list[VersionFolder]:
    return await call(conn, "take_staging_checks", VersionFolder, limit=limit)


async def find_uncommitted(
    conn: Conn, *, org_id: UUID, version_id: UUID, locations: list[str], task_ids: list[UUID], attempts: list[int]
) -> list[str]:
    return await call_values(
        conn,
        "find_uncommitted",
        org_id=org_id,
        version_id=version_id,
        locations=locations,
        task_ids=task_ids,
        attempts=attempts,
    )


async def get_lineage(
    conn: Conn,
    *,
    org_id: UUID,
    dataset: str,
    column: str | None = None,
    version_id: UUID | None = None,
    up: bool | None = None,
    down: bool | None = None,
    depth: int | None = None,
    user_id: UUID | None = None,
    every: bool | None = None,
) -> JsonObject:
    return await call_value(
        conn,
        "get_lineage",
        org_id=org_id,
        dataset=dataset,
        column=column,
        version_id=version_id,
        up=up,
        down=down,
        depth=depth,
        user_id=user_id,
        every=every,
    )


async def grant_dataset(conn: Conn, *, org_id: UUID, name: str, role: str) -> None:
    await call_void(conn, "grant_dataset", org_id=org_id, name=name, role=role)


async def revoke_dataset(conn: Conn, *, org_id: UUID, name: str, role: str) -> None:
    await call_void(conn, "revoke_dataset", org_id=org_id, name=name, role=role)


async def pin_datasets(
    conn: Conn,
    *,
    org_id: UUID,
    names: list[str],
    user_id: UUID | None = None,
    every: bool | None = None,
    dag: str | None = None,
    dag_version: int | None = None,
    version_id: UUID | None = None,
    at: datetime | None = None,
) -> list[PinnedDataset]:
    return await call(
        conn,
        "pin_datasets",
        PinnedDataset,
        org_id=org_id,
        names=names,
        user_id=user_id,
        every=every,
        dag=dag,
        dag_version=dag_version,
        version_id=version_id,
        at=at,
    )


async def read_dataset_rows(conn: Conn, *, org_id: UUID, version_id: UUID, location: str, page: int) -> PageOfRows:
    return await call_one(
        conn, "read_dataset_rows", PageOfRows, org_id=org_id, version_id=version_id, location=location, page=page
    )


async def record_query(
    conn: Conn, *, org_id: UUID, query_id: UUID, action: str, shape: str, versions: list[JsonObject] | None = None
) -> None:
    await call_void(
        conn,
        "record_query",
        org_id=org_id,
        query_id=query_id,
        action=action,
        shape=shape,
        versions=None if versions is None else Jsonb(versions),
    )


async def flush_sinks(conn: Conn, *, owner: str, ids: list[int], pages: int | None = None) -> list[RoutedEffect]:
    return await call(conn, "flush_sinks", RoutedEffect, owner=owner, ids=ids, pages=pages)
