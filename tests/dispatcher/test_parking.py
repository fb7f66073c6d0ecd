"""A row that a loop cannot work on is parked, and the rows of others are served."""

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

import pytest
from psycopg.types.json import Jsonb

from tests.support.kernel import Db, a_worker, call, drain, start_graph, start_one
from tests.support.loops import an_org, count, value
from tests.support.poison import cure, poison, turn


@dataclass(frozen=True)
class Case:
    """How to give an org a row that a loop has work on, what raises for it, and whether it was served."""

    arrange: Callable[[Db, UUID], object]
    served: str  # a query over the org
    table: str
    on: str = "delete"
    column: str = "org_id"


def a_delay(db: Db, org: UUID) -> None:
    start_one(db, org_id=org, details=Jsonb([{"task": 0, "delay_seconds": 0.001}]))


def a_handler(db: Db, org: UUID) -> None:
    kinds = [{"type": "app.work"}, {"type": "app.after", "handler": "completed"}]
    start_graph(db, 2, [], kinds=kinds, task_kinds=[0, 1], org_id=org)
    drain(db, a_worker(db, org_id=org))
    call(db, "fold_runs")


CASES = {
    "promote_due": Case(a_delay, "select count(*) = 0 from tenuto.delayed_tasks where org_id = %s", "delayed_tasks"),
    "settle_runs": Case(a_handler, "select count(*) = 0 from tenuto.pending_tasks where org_id = %s", "pending_tasks"),
}


@pytest.mark.parametrize("loop", CASES)
def test_a_poisoned_row_of_one_org_is_parked_and_another_orgs_row_is_served(db: Db, database: str, loop: str):
    case = CASES[loop]
    bad, good = an_org(db, "bad"), an_org(db, "good")
    for org in (bad, good):
        case.arrange(db, org)
    poison(db, case.table, bad, on=case.on, column=case.column)

    turn(database, loop)

    assert value(db, case.served, good)
    assert not value(db, case.served, bad)
    assert value(
        db, "select array_agg(org_id) from tenuto.parked_rows where loop = %s and error ~ 'poisoned'", loop
    ) == [bad]

    cure(db, case.table)
    turn(database, loop)
    assert not value(db, case.served, bad), "a parked row waits for its pause"
    db.execute("update tenuto.parked_rows set retry_at = now()")
    turn(database, "retry_parked")
    assert value(db, case.served, bad)
    assert count(db, "parked_rows") == 0
