"""A race for every test: real connections to a database of its own."""

from collections.abc import Iterator

import pytest

from tests.support.interleave import Race


@pytest.fixture
def race(database: str) -> Iterator[Race]:
    race = Race(database)
    yield race
    race.leave()
