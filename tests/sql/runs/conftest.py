"""What most tests of runs begin with."""

import pytest

from tests.support.database.tasks import Db, Worker, a_worker


@pytest.fixture
def worker(db: Db) -> Worker:
    """One that claims everything of the default org."""
    return a_worker(db)
