"""Following lineage reads the edges that it returns, among 2,000 datasets."""

import psycopg
import pytest

from bench.lineage import fill
from tests.plans.plans import explained
from tests.support.database.tasks import DEFAULT_ORG, Db, call

TABLES = ("table_lineage", "column_lineage", "lineage_methods", "datasets", "dataset_versions")


@pytest.mark.own_database("it changes statistics")
def test_lineage_reads_what_it_returns(db: Db) -> None:
    conn: psycopg.Connection = db
    fill(conn, width=500, layers=4)
    for question in (
        {"dataset": "d_1999", "column": "c0"},
        {"dataset": "d_1999"},
        {"dataset": "d_0", "column": "c0"},
    ):
        with explained(conn) as plans:
            graph = call(conn, "get_lineage", org_id=DEFAULT_ORG, every=True, **question)

        edges = len(graph["edges"])
        assert edges >= 6
        assert plans.scans_of_all(*TABLES) == [], question
        for table in ("table_lineage", "column_lineage"):
            assert plans.read(table) <= 10 * (edges + 1), (question, table)
