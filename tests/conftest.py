"""Fixtures: a real Postgres, and a database of its own for every test that asks for one."""

import itertools
import os
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest

from tests.support.clock import Clock
from tests.support.server import ensure_template, fresh_database, remove_server, run_folder, shared_server

RUN = os.environ.get("PYTEST_XDIST_TESTRUNUID", uuid4().hex)[:12]  # no pid: it may be that of a run that was killed
WORKER = os.environ.get("PYTEST_XDIST_WORKER", "main")
GUEST_OF = os.environ.get("TENUTO_TEST_FOLDER")  # another run's server, which that run stops
if GUEST_OF:
    WORKER = f"guest{os.getpid()}"
LONGEST = {"walk": 0, "journeys": 1, "planted": 2}  # folders, in the order in which they begin
_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def server_folder() -> Path:
    return Path(GUEST_OF) if GUEST_OF else run_folder(RUN)


@pytest.fixture(scope="session")
def server(server_folder: Path) -> Iterator[str]:
    """The URL of the run's server, as superuser."""
    with shared_server(server_folder) as url:
        yield url


@pytest.fixture(scope="session")
def template(server: str, server_folder: Path) -> str:
    return ensure_template(server, server_folder)


@pytest.fixture
def empty_database(server: str) -> Iterator[str]:
    """The URL of a database with nothing in it."""
    with fresh_database(server, f"empty_{WORKER}_{next(_numbers)}") as url:
        yield url


@pytest.fixture
def database(server: str, template: str) -> Iterator[str]:
    """The URL of a freshly migrated test database."""
    with fresh_database(server, f"test_{WORKER}_{next(_numbers)}", template) as url:
        yield url


@pytest.fixture
def db(database: str) -> Iterator[psycopg.Connection]:
    """A superuser's connection to a freshly migrated test database."""
    with psycopg.connect(database, autocommit=True) as conn:
        yield conn


@pytest.fixture
def clock(db: psycopg.Connection) -> Clock:
    """The time that `db` sees: it stands still until the test advances it."""
    return Clock(db)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes long comes first: one process waits with it while others work, and at the end all have something."""
    items.sort(key=lambda item: LONGEST.get(item.path.parent.name, len(LONGEST)))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores, for a quarter of the time is spent waiting: for leases, for polls, for processes.
    No more than the connections of the run's server allow."""
    return min((os.cpu_count() or 1) + 1, 8)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """The controller outlives its workers and cleans up after them."""
    if hasattr(session.config, "workerinput"):
        return
    manager = session.config.pluginmanager.get_plugin("dsession")
    run = manager.nodemanager.testrunuid[:12] if manager is not None else RUN
    folder = run_folder(run)
    if folder.exists():
        remove_server(folder)
