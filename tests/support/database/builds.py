"""Builds of versions of DAGs: does what dispatchers do for them."""

from typing import Any

from tests.support.database.events import route
from tests.support.database.jobs import deployed, publication, publish, trigger
from tests.support.database.tasks import DEFAULT_ORG, Db, Worker, call


def advance(db: Db) -> None:
    """Routes events and does all pieces that are due; a build that waits for its tasks is looked at again."""
    route(db)
    db.execute("update tenuto.builds set due_at = tenuto.now() where due_at is not null")
    while call(db, "advance_builds"):
        pass
    route(db)


def with_data(db: Db, worker: Worker, *keys: str, document: dict[str, Any] | None = None) -> None:
    """Makes a version current whose source has published these partitions, and whose job `daily` has computed them."""
    deployed(db, document)
    advance(db)
    trigger(db)
    publish(worker, worker.claim_one(), *keys)
    advance(db)
    assert compute(worker) == sorted(keys)
    advance(db)


def compute(worker: Worker, limit: int = 1000) -> list[str | None]:
    """Completes the tasks that are ready, each publishes its own partition; returns these."""
    claims = worker.claim(limit)
    keys = [claim.input["job"]["partition"] for claim in claims]
    if claims:
        worker.complete(*claims, published=[[publication(*both)] for both in zip(claims, keys, strict=True)])
    return sorted(keys)


def version(db: Db, number: int, dag: str = "sales") -> dict[str, Any]:
    rows = call(db, "list_dag_versions", org_id=DEFAULT_ORG, name=dag)
    return next(row for row in rows if row["version"] == number)


def status(db: Db, number: int, dag: str = "sales") -> str:
    return version(db, number, dag)["status"]
