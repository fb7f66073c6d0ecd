"""Fixtures: a real Postgres, and a database of its own for every test that asks for one."""

import itertools
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import hypothesis
import psycopg
import pytest

from tests.support.clock import Clock
from tests.support.postgres.server import (
    ensure_home,
    ensure_template,
    fresh_database,
    remove_server,
    run_folder,
    shared_server,
)
from tests.support.postgres.shared_database import SharedDatabase, shared_database

RUN = os.environ.get("PYTEST_XDIST_TESTRUNUID", uuid4().hex)[:12]  # no pid: it may be that of a run that was killed
WORKER = os.environ.get("PYTEST_XDIST_WORKER", "main")
GUEST_OF = os.environ.get("TENUTO_TEST_FOLDER")  # another run's server, which that run stops
if GUEST_OF:
    WORKER = f"guest{os.getpid()}"
FOLDER_ORDER = {"walk": 0, "journeys": 1, "planted": 2}  # folders, in the order in which they begin
# Folders whose tests get a new database each: they end processes and connections, and look at all that are there.
NEW_DATABASES = ("journeys", "docs", "examples")
_numbers = itertools.count(1)

hypothesis.settings.register_profile("tests", deadline=None)  # a busy machine makes any example slow
hypothesis.settings.load_profile("tests")

# Where this is set, every process that a test starts would compile all that it imports: twice the time of most starts.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


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
    """The database that tests get copies of; tests/planted names one with a bug in it."""
    return os.environ.get("TENUTO_TEST_TEMPLATE") or ensure_template(server, server_folder)


@pytest.fixture(scope="session")
def migrated_home(server: str, server_folder: Path) -> Path:
    """The home of an embedded server, for `copy_home`; `server` keeps its folder there."""
    return ensure_home(server_folder)


@pytest.fixture
def empty_database(server: str) -> Iterator[str]:
    """The URL of a database with nothing in it."""
    with fresh_database(server, f"empty_{WORKER}_{next(_numbers)}") as url:
        yield url


@pytest.fixture(scope="session")
def process_database(server: str, template: str) -> Iterator[SharedDatabase]:
    """The database that the tests of this process use one after the other."""
    with shared_database(server, template, WORKER) as shared:
        yield shared


@pytest.fixture
def new_database(server: str, template: str) -> Iterator[str]:
    """The URL of a test database that no other test uses."""
    with fresh_database(server, f"test_{WORKER}_{next(_numbers)}", template) as url:
        yield url


@pytest.fixture
def database(request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of a migrated test database without rows: that of this process, or a new one."""
    folder = request.path.relative_to(request.config.rootpath).parts[1]
    if folder in NEW_DATABASES or request.node.get_closest_marker("own_database"):
        yield request.getfixturevalue("new_database")
        return
    shared: SharedDatabase = request.getfixturevalue("process_database")
    with shared.borrow() as url:
        yield url


@pytest.fixture
def db(database: str, process_database: SharedDatabase) -> Iterator[psycopg.Connection]:
    """A superuser's connection to the test's database."""
    if process_database.url == database:
        yield process_database.connection()
        return
    with psycopg.connect(database, autocommit=True) as conn:
        yield conn


@pytest.fixture
def clock(db: psycopg.Connection) -> Clock:
    """The time that `db` sees: it stands still until the test advances it."""
    return Clock(db)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes long comes first: one process waits with it while others work, and at the end all have something."""
    items.sort(key=lambda item: FOLDER_ORDER.get(item.path.parent.name, len(FOLDER_ORDER)))


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
    for home in (folder / "home", folder):
        if home.exists():
            remove_server(home)
