"""Counts the modules that one start, claim, run, failure, step or request enters: paths stay short."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.paths import Measurement
from tests.support.server import fresh_database

# No path may enter more modules than this. Lower a limit when a path gets shorter; never raise one.
LIMITS = {
    "start": 17,
    "wake and claim": 13,
    "run and completion": 17,
    "failing attempt": 27,
    "HTTP start": 37,
    "HTTP claim": 32,
    "durable step": 24,
}


@pytest.fixture(scope="module")
def paths(server: str, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, list[str]]]:
    folder: Path = tmp_path_factory.mktemp("paths")
    with fresh_database(server, f"paths_{folder.name}_{id(folder)}", template) as url:
        yield Measurement(url, folder).run()


@pytest.mark.parametrize("path", LIMITS)
def test_a_path_enters_no_more_modules_than_its_limit(path: str, paths: dict[str, list[str]]) -> None:
    modules = paths[path]
    print(f"{path}: {len(modules)}\n  " + "\n  ".join(modules))

    assert len(modules) <= LIMITS[path], "one of these modules only forwards: " + ", ".join(modules)
