"""DAGs and jobs: one coroutine per public function in sql/deploys/dags/, sql/deploys/jobs/ and sql/runs/jobs/."""

from uuid import UUID

from psycopg.types.json import Jsonb

from tenuto.db.connection.call import Conn, call, call_one, call_void
from tenuto.model.dags import (
    DagSummary,
    DagVersion,
    DagVersionText,
    DeployEntry,
    JobSummary,
    SourceState,
    TriggeredTask,
    UnservedFunction,
    WholeJob,
)
from tenuto.model.json import JsonObject


async def list_dags(
    conn: Conn, *, org_id: UUID, after: str | None = None, limit: int | None = None
) -> list[DagSummary]:
    return await call(conn, "list_dags", DagSummary, org_id=org_id, after=after, limit=limit)


async def list_dag_versions(
    conn: Conn, *, org_id: UUID, name: str, before: int | None = None, limit: int | None = None
) -> list[DagVersion]:
    return await call(conn, "list_dag_versions", DagVersion, org_id=org_id, name=name, before=before, limit=limit)


async def get_dag_version(conn: Conn, *, org_id: UUID, name: str, version: int | None = None) -> DagVersionText:
    return await call_one(conn, "get_dag_version", DagVersionText, org_id=org_id, name=name, version=version)


async def list_deploys(
    conn: Conn, *, org_id: UUID, name: str, before: UUID | None = None, limit: int | None = None
) -> list[DeployEntry]:
    return await call(conn, "list_deploys", DeployEntry, org_id=org_id, name=name, before=before, limit=limit)


async def list_jobs(
    conn: Conn,
    *,
    org_id: UUID,
    dag: str | None = None,
    after_dag: str | None = None,
    after: str | None = None,
    limit: int | None = None,
) -> list[JobSummary]:
    return await call(
        conn, "list_jobs", JobSummary, org_id=org_id, dag=dag, after_dag=after_dag, after=after, limit=limit
    )


async def list_unserved_functions(
    conn: Conn,
    *,
    org_id: UUID,
    dag: str | None = None,
    jobs: list[JsonObject] | None = None,
    functions: list[str] | None = None,
    limit: int | None = None,
) -> list[UnservedFunction]:
    return await call(
        conn,
        "list_unserved_functions",
        UnservedFunction,
        org_id=org_id,
        dag=dag,
        jobs=None if jobs is None else Jsonb(jobs),
        functions=functions,
        limit=limit,
    )


async def get_job(conn: Conn, *, org_id: UUID, dag: str, name: str) -> WholeJob:
    return await call_one(conn, "get_job", WholeJob, org_id=org_id, dag=dag, name=name)


async def get_source(conn: Conn, *, org_id: UUID, dag: str, name: str) -> SourceState:
    return await call_one(conn, "get_source", SourceState, org_id=org_id, dag=dag, name=name)


async def pause_job(conn: Conn, *, org_id: UUID, dag: str, name: str, reason: str | None = None) -> None:
    await call_void(conn, "pause_job", org_id=org_id, dag=dag, name=name, reason=reason)


async def resume_job(conn: Conn, *, org_id: UUID, dag: str, name: str) -> None:
    await call_void(conn, "resume_job", org_id=org_id, dag=dag, name=name)


async def trigger_job(
    conn: Conn,
    *,
    org_id: UUID,
    dag: str,
    name: str,
    partitions: list[str] | None = None,
    force: bool | None = None,
    dedupe_key: str | None = None,
) -> list[TriggeredTask]:
    return await call(
        conn,
        "trigger_job",
        TriggeredTask,
        org_id=org_id,
        dag=dag,
        name=name,
        partitions=partitions,
        force=force,
        dedupe_key=dedupe_key,
    )
