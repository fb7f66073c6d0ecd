"""Real workers for the journeys."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.database.tasks import Db
from tests.support.postgres.server import copy_home, make_folder, remove_server
from tests.support.processes.remote_workers import a_remote_fleet, make_worker_key
from tests.support.processes.workers import Fleet, a_fleet


@pytest.fixture
def fleet(database: str, tmp_path: Path) -> Iterator[Fleet]:
    """Starts workers on the test's database; whatever of them is left at its end is ended."""
    with a_fleet(database, tmp_path) as fleet:
        yield fleet


@pytest.fixture(params=["direct", "over HTTP"])
def workers(request: pytest.FixtureRequest, db: Db, database: str, tmp_path: Path) -> Iterator[Fleet]:
    """Workers that share an object store, once on the database and once over HTTP."""
    if request.param == "direct":
        with a_fleet(database, tmp_path) as fleet:
            yield fleet
    else:
        with a_remote_fleet(database, tmp_path, make_worker_key(db)) as fleet:
            fleet.storage = (tmp_path / "home" / "objects").as_uri()  # that of the server
            yield fleet


@pytest.fixture
def home(migrated_home: Path) -> Iterator[Path]:
    """A server of the test's own, to be killed."""
    parent = make_folder("tenuto-journey-")
    folder = parent / "postgres"
    try:
        copy_home(migrated_home, folder)
        yield folder
    finally:
        remove_server(folder)
        shutil.rmtree(parent)
