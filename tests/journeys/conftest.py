"""Real workers for the journeys."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.processes.workers import Fleet, a_fleet


@pytest.fixture
def fleet(database: str, tmp_path: Path) -> Iterator[Fleet]:
    """Starts workers on the test's database; whatever of them is left at its end is ended."""
    with a_fleet(database, tmp_path) as fleet:
        yield fleet
