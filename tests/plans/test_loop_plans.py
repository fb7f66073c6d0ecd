"""The search for loops of DAGs does work in proportion to the edges, also if many jobs lead there and back."""

import psycopg
import pytest

from tests.plans.plans import explained
from tests.sql.datasets.test_find_loop import a_dag, a_job, a_source, planned
from tests.support.database.jobs import deployed
from tests.support.database.tasks import Db


def rows_of_a_search(db: psycopg.Connection, width: int) -> int:
    """How many rows all steps of a search return, for two DAGs that read that many datasets of each other, without a
    loop: s1 -> t1 -> u1 -> u2 ..."""
    dags = (f"first{width}", f"second{width}")
    names = [[f"{letter}{width}_{number}" for number in range(width)] for letter in "stu"]
    loads = [a_source(s) | {"name": f"load_{s}"} for s in names[0]]
    reports = [a_job(f"report_{u}", t, u) for t, u in zip(names[1], names[2], strict=True)]
    for report, before in zip(reports[1:], names[2], strict=False):
        report["inputs"].append({"from": {"dataset": before}})
    deployed(db, a_dag(dags[0], *loads))
    deployed(db, a_dag(dags[1], *(a_job(f"clean_{t}", s, t) for s, t in zip(names[0], names[1], strict=True))))
    db.execute("analyze")
    with explained(db) as plans:
        assert planned(db, a_dag(dags[0], *loads, *reports)) is None
    return sum(node.read for node in plans.nodes)


@pytest.mark.own_database("it changes statistics")
def test_a_search_for_loops_grows_with_the_edges(db: Db) -> None:
    assert rows_of_a_search(db, 80) < 5 * rows_of_a_search(db, 20)
