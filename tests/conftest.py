"""Fixtures: a real Postgres, and a database of its own for every test that asks for one."""

import gc
import itertools
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from uuid import uuid4

import hypothesis
import psycopg
import pytest

from tenuto.db.install import install
from tests.support.clock import Clock
from tests.support.postgres.leave_with import leaving_with_this_process
from tests.support.postgres.open_connections import name_unclosed_connections
from tests.support.postgres.server import (
    drop_other_weeks,
    ensure_database,
    ensure_home,
    ensure_template,
    fresh_database,
    make_testing_template,
    planted_database,
    remove_server,
    run_folder,
    shared_server,
)
from tests.support.postgres.shared_database import SharedDatabase, shared_database
from tests.support.processes.s3_server import BUCKET, S3Server, s3_server
from tests.support.run.called_functions import CalledFunctions
from tests.support.run.order import collect_other_folders_first, in_order
from tests.support.run.results import write_results

RUN = os.environ.get("PYTEST_XDIST_TESTRUNUID", uuid4().hex)[:12]  # no pid: it may be that of a run that was killed
WORKER = os.environ.get("PYTEST_XDIST_WORKER", "main")
GUEST_OF = os.environ.get("TENUTO_TEST_FOLDER")  # another run's server, which that run stops
if GUEST_OF:
    WORKER = f"guest{os.getpid()}"
# Without the guard of `make test`, which stops what a killed run leaves.
DIRECT = not GUEST_OF and "TENUTO_TEST_GUARD" not in os.environ
# Folders whose tests get a new database each: they end processes and connections, and look at all that are there.
NEW_DATABASES = ("journeys", "docs", "examples")
# Tests that need the partitions of other weeks. The databases of all others have those of this week alone: every
# statement looks at each partition, and every connection reads what the catalogs say about it.
ALL_PARTITIONS = (
    "contracts",
    "dispatcher",
    "install",
    "plans",
    "security/test_row_security.py",
    "sql/identity/test_seal_audit.py",
    "sql/runs/retention",
    "sql/shared",
)
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
    with shared_server(server_folder) as url, leaving_with_this_process(server_folder) if DIRECT else nullcontext():
        yield url


@pytest.fixture(scope="session")
def template(server: str, server_folder: Path) -> str:
    """The database that tests get copies of."""
    return planted_database() or ensure_template(server, server_folder)


@pytest.fixture(scope="session")
def bare_home(server: str, server_folder: Path) -> Path:
    """The home of an embedded server without anything of Tenuto, for `copy_home`; `server` keeps its folder there."""
    return ensure_home(server_folder, "bare_home")


@pytest.fixture(scope="session")
def migrated_home(bare_home: Path, server_folder: Path) -> Path:
    """As `bare_home`, and migrated."""
    return ensure_home(server_folder, "migrated_home", source=bare_home, fill=install.migrate)


@pytest.fixture(scope="session")
def testing_home(migrated_home: Path, server_folder: Path) -> Path:
    """As `migrated_home`, with the template database of `tenuto.testing`."""
    return ensure_home(server_folder, "testing_home", source=migrated_home, fill=make_testing_template)


@pytest.fixture(scope="session")
def s3() -> Iterator[S3Server]:
    """A real S3 server with one bucket."""
    with s3_server() as server:
        yield server


@pytest.fixture
def s3_url(s3: S3Server, monkeypatch: pytest.MonkeyPatch) -> str:
    """A place in the bucket that no other test uses; the variables to reach it are set."""
    for name, value in s3.environment.items():
        monkeypatch.setenv(name, value)
    return f"s3://{BUCKET}/test-{uuid4().hex}"


@pytest.fixture
def empty_database(server: str) -> Iterator[str]:
    """The URL of a database with nothing in it."""
    with fresh_database(server, f"empty_{WORKER}_{next(_numbers)}") as url:
        yield url


@pytest.fixture(scope="session")
def lean_template(server: str, template: str, server_folder: Path) -> str:
    """A copy of the template with the partitions of this week alone."""
    return planted_database() or ensure_database(
        server, server_folder, "tenuto_lean_template", template, drop_other_weeks
    )


@pytest.fixture(scope="session")
def process_database(server: str, template: str) -> Iterator[SharedDatabase]:
    """The database that the tests of this process use one after the other."""
    with shared_database(server, template, WORKER) as shared:
        yield shared


@pytest.fixture(scope="session")
def lean_process_database(server: str, lean_template: str) -> Iterator[SharedDatabase]:
    """The same with the partitions of this week alone."""
    with shared_database(server, lean_template, f"{WORKER}_lean") as shared:
        yield shared


@pytest.fixture
def new_database(request: pytest.FixtureRequest, server: str) -> Iterator[str]:
    """The URL of a test database that no other test uses."""
    template = request.getfixturevalue("template" if _all_partitions(request) else "lean_template")
    with fresh_database(server, f"test_{WORKER}_{next(_numbers)}", template) as url:
        yield url


@pytest.fixture
def shared(request: pytest.FixtureRequest) -> SharedDatabase | None:
    """The database of this process that the test borrows; None where it gets a new one."""
    if _path(request).parts[0] in NEW_DATABASES or request.node.get_closest_marker("own_database"):
        return None
    return request.getfixturevalue("process_database" if _all_partitions(request) else "lean_process_database")


def _path(request: pytest.FixtureRequest) -> Path:
    return request.path.relative_to(request.config.rootpath / "tests")


def _all_partitions(request: pytest.FixtureRequest) -> bool:
    return any(_path(request).is_relative_to(path) for path in ALL_PARTITIONS)


@pytest.fixture
def database(request: pytest.FixtureRequest, shared: SharedDatabase | None) -> Iterator[str]:
    """The URL of a migrated test database without rows: that of this process, or a new one."""
    if shared is None:
        yield request.getfixturevalue("new_database")
        return
    with shared.borrow() as url:
        yield url


@pytest.fixture
def db(database: str, shared: SharedDatabase | None) -> Iterator[psycopg.Connection]:
    """A superuser's connection to the test's database."""
    if shared is not None:
        yield shared.connection()
        return
    with psycopg.connect(database, autocommit=True) as conn:
        yield conn


@pytest.fixture
def clock(db: psycopg.Connection) -> Clock:
    """The time that `db` sees: it stands still until the test advances it."""
    return Clock(db)


def pytest_configure(config: pytest.Config) -> None:
    for number in (signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_IGN:  # set by nohup, and by a shell for what runs in the background
            # What the tests start would inherit that; from a handler, it gets the default.
            signal.signal(number, lambda *_: None)
    name_unclosed_connections()
    write_results(config)
    if not GUEST_OF:
        config.pluginmanager.register(CalledFunctions())
    collect_other_folders_first(config)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    items[:] = in_order(items, config)


def pytest_collection_finish() -> None:
    """Thousands of tests stay until the end: garbage is collected without looking at them again and again."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Three more than there are cores, for more than half of the time is spent waiting: for leases, for polls, for
    processes. No more than the connections of the run's server allow."""
    return min((os.cpu_count() or 1) + 3, 8)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """The controller outlives its workers and cleans up after them."""
    if hasattr(session.config, "workerinput"):
        return
    manager = session.config.pluginmanager.get_plugin("dsession")
    run = manager.nodemanager.testrunuid[:12] if manager is not None else RUN
    folder = run_folder(run)
    for home in (folder / "bare_home", folder / "migrated_home", folder / "testing_home", folder):
        if home.exists():
            remove_server(home)
