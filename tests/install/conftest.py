"""Small SQL trees to install."""

from pathlib import Path

import psycopg
import pytest

from tests.support.postgres.sql_trees import Tree


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path / "sql")


@pytest.fixture
def empty(empty_database: str):
    """A connection to a database with nothing in it."""
    with psycopg.connect(empty_database, autocommit=True) as conn:
        yield conn
