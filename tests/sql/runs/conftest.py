"""What most tests of runs begin with."""

from collections.abc import Iterator

import psycopg
import pytest

from tests.support.database.tasks import Db, Worker, a_worker


@pytest.fixture
def worker(db: Db) -> Worker:
    """One that claims everything of the default org."""
    return a_worker(db)


@pytest.fixture
def client(db: psycopg.Connection, database: str) -> Iterator[psycopg.Connection]:
    """A client's own transaction. Whoever waits for a lock of it fails after a second instead."""
    db.execute("set lock_timeout = '1s'")
    with psycopg.connect(database) as conn:
        yield conn
