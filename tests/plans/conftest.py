"""Databases to look at plans in: 20,000 tasks of every sort, and statistics that know it or do not."""

import os
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.plans.crowd import HOT_TABLES, fill
from tests.support.postgres.server import ensure_database, fresh_database

WORKER = os.environ.get("PYTEST_XDIST_WORKER", "main")


# The triggers of test databases would add statements of their own to every plan. Those of all databases stay.
WITHOUT_TRIGGERS = "-c session_replication_role=replica"
ALWAYS = b"""
alter table tenuto.cancel_requests enable always trigger a_cancel_ends_its_tasks;
alter table tenuto.signals enable always trigger a_signal_wakes_its_tasks
"""


def _make_crowd(url: str) -> None:
    with psycopg.connect(url, autocommit=True, options=WITHOUT_TRIGGERS) as conn:
        conn.execute(ALWAYS)
        conn.execute(f"analyze {', '.join(HOT_TABLES)}".encode())  # while there is nothing
        fill(conn)


def _analyze(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute("vacuum analyze")


@pytest.fixture(scope="session")
def crowds(server: str, template: str, server_folder: Path) -> dict[str, str]:
    """Databases that hold the crowd, to clone: with true statistics and with those of empty tables."""
    unknown = ensure_database(server, server_folder, "tenuto_crowd", template, _make_crowd)
    known = ensure_database(server, server_folder, "tenuto_crowd_analyzed", unknown, _analyze)
    return {"crowded": known, "empty statistics": unknown}


@pytest.fixture(params=["crowded", "empty statistics"])
def crowded(request: pytest.FixtureRequest, server: str, crowds: dict[str, str]) -> Iterator[psycopg.Connection]:
    """The crowd; the plan must hold with both statistics."""
    with (
        fresh_database(server, f"plans_{WORKER}", crowds[request.param]) as url,
        psycopg.connect(url, autocommit=True, options=WITHOUT_TRIGGERS) as conn,
    ):
        yield conn
