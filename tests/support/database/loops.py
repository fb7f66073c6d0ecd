"""Runs steps of the dispatcher on demand: lose workers, let time pass, settle runs, cancel."""

from typing import Any
from uuid import UUID

from psycopg.rows import dict_row

from tests.support.clock import Clock
from tests.support.database.tasks import DEFAULT_ORG, Claim, Db, Worker, call


def lose_workers(db: Db, clock: Clock, **away: float) -> int:
    """Every worker falls silent and its lease passes; answers how many attempts were lost."""
    clock.advance(**(away or {"minutes": 5}))
    call(db, "expire_sessions")
    return call(db, "expire_attempts")


def promote(db: Db, clock: Clock | None = None, **passed: float) -> int:
    """Time passes, then what is due becomes ready."""
    if clock is not None:
        clock.advance(**(passed or {"hours": 1}))
    return call(db, "promote_due")


def settle(db: Db) -> None:
    """Folds and settles until nothing changes any more."""
    for _ in range(4):
        call(db, "fold_runs")
        call(db, "settle_runs")


def run(db: Db, run_id: UUID) -> dict[str, Any]:
    """Everything run_status shows of one run, as it is."""
    with db.cursor(row_factory=dict_row) as cursor:
        return cursor.execute("select * from tenuto.run_status where id = %s", [run_id]).fetchone() or {}


def cancel_run(db: Db, run_id: UUID, *, org_id: UUID = DEFAULT_ORG) -> None:
    call(db, "cancel_run", org_id=org_id, run_id=run_id)


def cancel_task(db: Db, task_id: UUID, *, org_id: UUID = DEFAULT_ORG) -> None:
    call(db, "cancel_task", org_id=org_id, task_id=task_id)


def an_org(db: Db, slug: str, **settings: object) -> UUID:
    return call(db, "create_org", slug=slug, settings=settings)


def count(db: Db, table: str, where: str = "true", *params: object) -> int:
    row = db.execute(f"select count(*) from tenuto.{table} where {where}".encode(), params).fetchone()
    assert row is not None
    return row[0]


def value(db: Db, query: str, *params: object) -> Any:
    """The single value of a query."""
    row = db.execute(query.encode(), params).fetchone()
    return row[0] if row else None


def by_input(claims: list[Claim]) -> dict[Any, Claim]:
    return {claim.input: claim for claim in claims}


def fenced(worker: Worker, claim: Claim, **more: object) -> dict[str, Any]:
    """The parameters with which a running attempt proves that it holds its task."""
    return {**worker.fence, "task_id": claim.task_id, "attempt": claim.attempt, **more}
