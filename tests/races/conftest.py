"""Real connections to race on. A file's races share them, and plans made once: every order starts on empty tables."""

import os
from collections.abc import Iterator

import pytest

from tests.support.database.interleave import Race
from tests.support.postgres.server import fresh_database


@pytest.fixture(scope="module")
def race(request: pytest.FixtureRequest, server: str, lean_template: str) -> Iterator[Race]:
    with fresh_database(server, f"{request.path.stem}_{os.getpid()}", lean_template) as database:
        race = Race(database)
        yield race
        race.leave()
