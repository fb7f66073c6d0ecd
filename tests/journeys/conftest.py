"""Real workers for the journeys."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.postgres.server import copy_home, remove_server
from tests.support.processes.workers import Fleet, a_fleet


@pytest.fixture
def fleet(database: str, tmp_path: Path) -> Iterator[Fleet]:
    """Starts workers on the test's database; whatever of them is left at its end is ended."""
    with a_fleet(database, tmp_path) as fleet:
        yield fleet


@pytest.fixture
def home(migrated_home: Path, tmp_path: Path) -> Iterator[Path]:
    """A server of the test's own, to be killed."""
    folder = tmp_path / "postgres"
    try:
        copy_home(migrated_home, folder)
        yield folder
    finally:
        remove_server(folder)
