"""Counts the modules that one start, claim, run, failure, step or request enters: paths stay short."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tenuto.sdk.tracing import TRACING
from tests.support.paths import Measurement
from tests.support.postgres.server import fresh_database

# No path may enter more modules than this. Lower a limit when a path gets shorter; never raise one.
LIMITS = {
    "start": 10,
    "wake and claim": 7,
    "run and completion": 10,
    "failing attempt": 13,
    "HTTP start": 21,
    "HTTP claim": 18,
    "durable step": 14,
}
# The rows of the table in ARCHITECTURE.md, and the paths that enter the modules they name.
HOPS = {
    "start": ["start"],
    "wake": ["wake and claim"],
    "claim": ["wake and claim"],
    "run": ["run and completion"],
    "end": ["run and completion", "failing attempt"],
}
ARCHITECTURE = Path(__file__).parents[2] / "ARCHITECTURE.md"


@pytest.fixture(scope="module")
def paths(server: str, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, list[str]]]:
    folder: Path = tmp_path_factory.mktemp("paths")
    with (
        fresh_database(server, f"paths_{folder.name}_{id(folder)}", template) as url,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.delitem(sys.modules, TRACING, raising=False)  # another test may have switched tracing on
        yield Measurement(url, folder).run()


@pytest.mark.parametrize("path", LIMITS)
def test_a_path_enters_no_more_modules_than_its_limit(path: str, paths: dict[str, list[str]]) -> None:
    modules = paths[path]
    print(f"{path}: {len(modules)}\n  " + "\n  ".join(modules))

    assert len(modules) <= LIMITS[path], "one of these modules only forwards: " + ", ".join(modules)


@pytest.mark.parametrize("hop", HOPS)
def test_the_walk_in_the_architecture_names_modules_of_the_path(hop: str, paths: dict[str, list[str]]) -> None:
    row = re.search(rf"^\| {hop} \| (.+?) \|", ARCHITECTURE.read_text(), re.MULTILINE)
    assert row
    named = re.findall(r"`([\w/]+\.py)`", row[1])

    assert named
    assert [module for module in named if not any(module in paths[path] for path in HOPS[hop])] == []
