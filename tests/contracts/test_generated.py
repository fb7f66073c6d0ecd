"""Generated files say what the database says."""

import os

import psycopg
import pytest

import gen
from tenuto.db.install import install
from tests.support.postgres.server import fresh_database


@pytest.fixture(scope="module")
def generated(server):
    with fresh_database(server, f"generated_{os.getpid()}") as url:
        install.migrate(url)
        with psycopg.connect(url, autocommit=True) as conn:
            return gen.generate(conn)


def test_generated_files_are_fresh(generated):
    assert gen.stale(generated) == [], "run `make gen`"


def test_a_file_that_differs_is_stale(generated, tmp_path):
    (tmp_path / gen.TABLES).parent.mkdir(parents=True)
    (tmp_path / gen.TABLES).write_text(generated[gen.TABLES] + "-- edited by hand\n")

    assert gen.TABLES in gen.stale(generated, tmp_path)


def test_the_snapshot_holds_tables_but_no_weekly_partition(generated):
    text = generated[gen.TABLES]

    assert "create table tenuto.migrations (" in text
    assert "partition of" not in text
