"""The snapshot of the tables is fresh, and stale files are found. `make check` checks all generated files."""

import os

import psycopg
import pytest

import gen
from table_snapshot import snapshot
from tenuto.db.install import install
from tests.support.postgres.server import fresh_database


@pytest.fixture(scope="module")
def tables(server):
    with fresh_database(server, f"generated_{os.getpid()}") as url:
        install.migrate(url)
        with psycopg.connect(url, autocommit=True) as conn:
            return snapshot(conn)


def test_the_snapshot_of_the_tables_is_fresh(tables):
    assert gen.stale({gen.TABLES: tables}) == [], "run `make gen`"


def test_a_file_that_differs_or_is_missing_is_stale(tables, tmp_path):
    (tmp_path / gen.TABLES).parent.mkdir(parents=True)
    (tmp_path / gen.TABLES).write_text(tables + "-- edited by hand\n")

    assert gen.stale({gen.TABLES: tables, gen.STATES: ""}, tmp_path) == [gen.TABLES, gen.STATES]


def test_the_snapshot_holds_tables_but_no_weekly_partition(tables):
    assert "create table tenuto.migrations (" in tables
    assert "partition of" not in tables
