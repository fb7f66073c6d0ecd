"""Databases to look at plans in: a hundred thousand tasks of every sort, and statistics that know it or do not."""

import os
from collections.abc import Iterator

import psycopg
import pytest

from tests.plans.crowd import HOT_TABLES, fill
from tests.support.server import fresh_database

WORKER = os.environ.get("PYTEST_XDIST_WORKER", "main")


# The triggers of test databases would add statements of their own to every plan.
WITHOUT_TRIGGERS = "-c session_replication_role=replica"


@pytest.fixture(scope="session")
def crowd(server: str, template: str) -> Iterator[str]:
    """The name of a database that holds the crowd, to clone."""
    with fresh_database(server, f"crowd_{WORKER}", template) as url:
        with psycopg.connect(url, autocommit=True, options=WITHOUT_TRIGGERS) as conn:
            conn.execute(f"analyze {', '.join(HOT_TABLES)}".encode())  # while there is nothing
            fill(conn)
        yield f"crowd_{WORKER}"


@pytest.fixture(params=["crowded", "empty statistics"])
def crowded(request: pytest.FixtureRequest, server: str, crowd: str) -> Iterator[psycopg.Connection]:
    """The crowd, with true statistics and with those of empty tables: the plan must hold in both."""
    with (
        fresh_database(server, f"plans_{WORKER}", crowd) as url,
        psycopg.connect(url, autocommit=True, options=WITHOUT_TRIGGERS) as conn,
    ):
        if request.param == "crowded":
            conn.execute("vacuum analyze")
        yield conn
