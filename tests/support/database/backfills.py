"""Backfills: starts them, and does what dispatchers do for them."""

from typing import Any
from uuid import UUID

from tests.support.database.events import route
from tests.support.database.tasks import DEFAULT_ORG, Db, Worker, call

START, END = "2026-11-01", "2026-11-03"


def backfill(db: Db, dataset: str = "per_day", *, org_id: UUID = DEFAULT_ORG, **options: Any) -> UUID:
    """Starts a backfill, by default of three days."""
    if not options.keys() & {"first", "partitions"}:
        options |= {"first": START, "last": END}
    return call(db, "start_backfill", org_id=org_id, dataset=dataset, **options)


def go_on(db: Db, *, turns: int = 3) -> None:
    """Routes events and does the pieces of all backfills that have not ended, as often as it is told."""
    for _ in range(turns):
        route(db)
        db.execute("update tenuto.backfills set due_at = tenuto.now() where due_at is not null")
        call(db, "advance_backfills", limit=100)


def get(db: Db, id: UUID) -> dict[str, Any]:
    (row,) = call(db, "get_backfill", org_id=DEFAULT_ORG, id=id)
    return row


def counts(db: Db, id: UUID) -> tuple[str, int, int, int, int]:
    """(status, started, completed, failed, skipped)"""
    row = get(db, id)
    return row["status"], row["started"], row["completed"], row["failed"], row["skipped"]


def fail_one(worker: Worker) -> str:
    """Fails the next task for good; returns its partition."""
    claim = worker.claim_one()
    worker.fail(claim, final=True)
    return claim.input["job"]["partition"]
