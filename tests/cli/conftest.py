"""Commands as a person runs them: on a database of the test's own, or on a home of its own."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tenuto.storage.folder import FolderStore
from tests.support.database.tasks import Db
from tests.support.free_ports import free_ports
from tests.support.http.both_ways import Ways, make_api_key, run_here
from tests.support.http.loopback import Loopback, loopback
from tests.support.postgres.server import copy_home, make_folder
from tests.support.processes.command_line import tenuto


@pytest.fixture
def home() -> Iterator[Path]:
    """A place for an embedded server that is stopped afterwards."""
    parent = make_folder("tenuto-cli-")
    yield parent / "home"
    tenuto("db", "stop", TENUTO_HOME=parent / "home")
    shutil.rmtree(parent)


@pytest.fixture
def made_home(home: Path, migrated_home: Path) -> Path:
    """The same place, with a database that is migrated and stopped."""
    copy_home(migrated_home, home)
    return home


@pytest.fixture
def asked(database: str) -> Callable[..., Any]:
    """`asked("runs", "list")`: what the command prints with --json."""

    def ask(*arguments: str) -> Any:
        done = run_here(*arguments, "--json", TENUTO_DATABASE_URL=database)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return ask


@pytest.fixture
def free_port() -> int:
    (port,) = free_ports(1)
    return port


@pytest.fixture(scope="module")
def http_server() -> Iterator[Loopback]:
    """One for the whole file; each test points it at its own database."""
    with loopback() as running:
        yield running


@pytest.fixture
def ways(db: Db, database: str, http_server: Loopback, tmp_path: Path) -> Iterator[Ways]:
    http_server.aim(database, FolderStore(tmp_path / "objects"))
    yield Ways(
        {"TENUTO_DATABASE_URL": database}, {"TENUTO_URL": http_server.url, "TENUTO_API_KEY": make_api_key(db, "*")}
    )
    http_server.leave()
