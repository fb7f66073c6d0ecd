"""A sweep reads the rows of its page and what they wait for, however many rows wait, have ended or stand in line."""

import pytest
from psycopg.types.json import Jsonb

from tests.plans.plans import explained
from tests.support.database.loops import count
from tests.support.database.tasks import Db, a_worker, call, start, start_graph

PAGE = 50
LIMITED = [{"scope": "key", "key": "k", "size": 1}]


def many_that_wait(db: Db, number: int) -> None:
    """Tasks that depend on others, parents with children, tasks in the line of a limit, and open runs."""
    start_graph(db, number, [(no, no + 1) for no in range(number - 1)])
    worker = a_worker(db)
    worker.claim(1)
    start(db, *range(PAGE * 2))
    for parent in worker.claim(PAGE * 2):
        children = worker.start_children(parent, 1, 2)
        worker.wait(parent, **{"for": "children", "tasks": [str(child) for child in children]})
    start(db, *range(number), details=Jsonb([{"task": no, "limits": LIMITED} for no in range(number)]))
    call(db, "follow_arrivals")
    db.execute("analyze")


def rows_read(db: Db, sweep: str) -> tuple[int, int]:
    """By one call for a page: of all tables, and by scans of whole tables."""
    with explained(db) as plans:
        assert call(db, sweep, limit=PAGE) == 0
    hot = ("pending_tasks", "waiting_tasks", "awaited_tasks", "tasks", "runs", "task_attempts", "task_dependencies")
    return sum(node.read for node in plans.nodes), sum(node.read for node in plans.scans_of_all(*hot))


@pytest.mark.own_database("it changes statistics")
@pytest.mark.parametrize("sweep", ["sweep_tasks", "sweep_runs"])
def test_a_sweep_costs_the_same_with_many_more_rows(db: Db, sweep: str) -> None:
    many_that_wait(db, 200)
    few, scanned = rows_read(db, sweep)
    many_that_wait(db, 5000)
    assert count(db, "pending_tasks") > 5000
    many, scanned_of_many = rows_read(db, sweep)

    assert (scanned, scanned_of_many) == (0, 0)
    assert many < 1.2 * few + 20, (few, many)
