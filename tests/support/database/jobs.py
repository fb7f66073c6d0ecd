"""Starts tasks of jobs, and publishes for them as operators do."""

from collections.abc import Sequence
from hashlib import sha256
from typing import Any
from uuid import UUID

from tenuto.model.jobs import staging_prefix
from tests.support.database.dags import cutover, deploy
from tests.support.database.tasks import DEFAULT_ORG, Answer, Claim, Db, Worker, call

DAY = {"partition": {"kind": "time", "column": "at", "every": "day"}}
KEY = {"partition": {"kind": "key", "column": "at"}}  # keys of any text, such as mon
# A source, and a job that reads one partition and writes the same one.
SALES: dict[str, Any] = {
    "name": "sales",
    "jobs": [
        {
            "name": "extract",
            "activation": "source",
            "operator": "python",
            "source": {"kind": "manual"},
            "config": {"task": "shop.extract"},
            "max_attempts": 2,
            "outputs": [{"dataset": "raw", **KEY, "columns": [{"name": "at", "type": "timestamp"}]}],
        },
        {
            "name": "daily",
            "activation": "reactive",
            "operator": "sql@2",
            "execution_strategy": "PerPartition",
            "inputs": [{"from": {"dataset": "raw"}}],
            "config": {"sql": "select 1"},
            "timeout_seconds": 90,
            "scaling": {"max_concurrency": 3},
            "outputs": [{"dataset": "per_day", **KEY}],
        },
    ],
}


def sales(sql: str = "select 1", name: str = "sales") -> dict[str, Any]:
    """The document with another query of `daily`: another version of `per_day`, and the same one of `raw`."""
    extract, daily = SALES["jobs"]
    return {**SALES, "name": name, "jobs": [extract, {**daily, "config": {"sql": sql}}]}


def by_day(document: dict[str, Any]) -> dict[str, Any]:
    """The document with partitions by day, where those of its outputs have keys of any text."""
    changed = [
        {**job, "outputs": [{**output, **DAY} if output.get("partition") == KEY["partition"] else output
                            for output in job["outputs"]]}
        for job in document["jobs"]
    ]  # fmt: skip
    return {**document, "jobs": changed}


def deployed(db: Db, document: dict[str, Any] | None = None, *, expected: int = 0) -> None:
    """Deploys a document, by default the one of sales, and makes it current, also if it is not computed yet."""
    new = deploy(db, SALES if document is None else document)
    cutover(db, expected, new["version"], name=new["dag"], force=new["status"] == "building")


def trigger(db: Db, job: str = "extract", *partitions: str, dag: str = "sales", **options: Any) -> list[dict[str, Any]]:
    keys = list(partitions) or None
    return call(db, "trigger_job", org_id=DEFAULT_ORG, dag=dag, name=job, partitions=keys, **options)


def publication(claim: Claim, partition: str | None = None, *, output: int = 0, **changes: Any) -> dict[str, Any]:
    """What an attempt publishes for one output and partition."""
    location = claim.input["job"]["outputs"][output]["location"]
    return {
        "output": output,
        "partition": partition,
        "location": staging_prefix(location, partition, str(claim.task_id), claim.attempt),
        "rows": 3,
        "bytes": 100,
        "fingerprint": sha256(f"{claim.task_id} {partition}".encode()).hexdigest(),
        "schema_hash": None,
        "checks": [],
        **changes,
    }


def publish(worker: Worker, claim: Claim, *partitions: str | None) -> Answer:
    """Completes a task of a job that publishes these partitions of its first output."""
    (answer,) = worker.complete(claim, published=[[publication(claim, key) for key in partitions or (None,)]])
    return answer


def partitions(db: Db, name: str = "raw", **options: Any) -> dict[str | None, UUID]:
    """The committed partitions of a dataset, and the task that published each."""
    rows: Sequence[Any] = call(db, "list_partitions", org_id=DEFAULT_ORG, name=name, **options)
    return {row["partition"]: row["task_id"] for row in rows}
