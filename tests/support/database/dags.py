"""Deploys DAG documents as the command line and the API do."""

import json
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from tenuto.dag.hashes import HASH_VERSION
from tenuto.dag.job_rows import job_rows
from tenuto.dag.parse import parse_dag
from tests.dag.documents import a_document
from tests.support.database.tasks import DEFAULT_ORG, Db, call


def deploy(
    db: Db, document: dict[str, Any] | None = None, *, org_id: UUID = DEFAULT_ORG, auto: bool = False, **plan: Any
) -> Any:
    """Deploys a document, by default the one of orders, and returns the version."""
    dag = parse_dag(json.dumps(a_document() if document is None else document))
    (row,) = call(
        db,
        "deploy_dag",
        org_id=org_id,
        name=dag.name,
        yaml=dag.yaml,
        yaml_hash=dag.yaml_hash,
        hash_version=HASH_VERSION,
        jobs=Jsonb(job_rows(dag)),
        actor="ann",
        plan=Jsonb(plan),
        auto=auto,
        functions=sorted(dag.functions()),
    )
    return row


def cutover(db: Db, expected: int = 0, version: int | None = None, name: str = "orders", **options: Any) -> Any:
    (row,) = call(
        db, "cutover_dag", org_id=DEFAULT_ORG, name=name, expected=expected, actor="ann", version=version, **options
    )
    return row


def set_status(db: Db, version: int, status: str) -> None:
    """Gives a version a status that no function gives it yet."""
    with db.transaction():
        db.execute("set local session_replication_role = replica")  # without the triggers that check transitions
        db.execute("update tenuto.dag_versions set status = %s where version = %s", [status, version])


def rollback(db: Db, expected: int, version: int | None = None, name: str = "orders") -> Any:
    (row,) = call(db, "rollback_dag", org_id=DEFAULT_ORG, name=name, expected=expected, actor="bob", version=version)
    return row


def leave_dataset(db: Db, name: str) -> None:
    """Deploys a DAG that publishes a dataset, and then without it: no DAG publishes the dataset any more."""
    for expected, dataset in enumerate((name, f"not_{name}")):
        job = {**a_document()["jobs"][0], "source": {"kind": "manual"}, "outputs": [{"dataset": dataset}]}
        deploy(db, {"name": "extra", "jobs": [job]})
        cutover(db, expected, name="extra")


def datasets(db: Db) -> dict[str, Any]:
    """The datasets by name."""
    return {row["name"]: row for row in call(db, "list_datasets", org_id=DEFAULT_ORG)}


def pointers(db: Db) -> dict[str, tuple[UUID, str | None, int | None, UUID | None]]:
    """What a cutover moves: for each name the id, the producer and the current version of its dataset."""
    return {name: (row["id"], row["job"], row["output"], row["version_id"]) for name, row in datasets(db).items()}


def job_keys(db: Db) -> dict[str, UUID]:
    return {row["name"]: row["job_key"] for row in call(db, "list_jobs", org_id=DEFAULT_ORG, dag="orders")}
