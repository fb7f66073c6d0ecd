"""`make demo` shows everything and ends by itself, and says so when something is not as it should be."""

import shutil
from pathlib import Path

import psutil
import pytest

from tenuto.db import embedded
from tests.support.processes.terminal import ROOT, newcomer

EXAMPLES = ROOT / "examples"
SAID = [
    "hello, world",
    "together 999,000",
    "on attempt 2",
    "published 4,950",
    "it ticked",
    "dataset orders_daily",
    "├── orders_raw.total  [aggregation, sql, exact]",
    "job daily: changed (config), computed again; 3 partitions, 3 tasks",
    "readers see a total of 150,966.66, the new version has a total of 8,748.70",
    "readers see a total of 8,748.70, the old version has a total of 150,966.66",
    "completed: 3 of 3 partitions, a total of 150,966.66",
    "All as it should be",
]


def left_running(folder: Path) -> list[str]:
    """Processes of this folder, and its database."""
    lines = [" ".join(one.info["cmdline"] or ()) for one in psutil.process_iter(["cmdline"])]
    database = ["postgres"] if embedded.status(folder / "home").running else []
    return database + [line for line in lines if str(folder) in line]


def copy_demo(folder: Path) -> None:
    for name in ("demo.py", "demo_orders.py"):
        shutil.copy(EXAMPLES / name, folder)
    shutil.copytree(EXAMPLES / "11_orders", folder / "11_orders", ignore=shutil.ignore_patterns("__pycache__"))


@pytest.mark.soak  # CI runs `make demo` in new clones (.ci/run); the demo checks its own results
def test_the_demo_shows_the_whole_way_and_leaves_nothing_running() -> None:
    with newcomer() as terminal:
        copy_demo(terminal.folder)

        done = terminal.run("python demo.py", timeout=300)

        assert done.returncode == 0, done.stdout + done.stderr
        assert [text for text in SAID if text not in done.stdout] == []
        assert left_running(terminal.folder) == []
        assert "demo.tick" not in terminal.run("tenuto schedules list").stdout


def test_a_demo_that_does_not_go_as_it_should_fails(migrated_home: Path) -> None:
    broken = (EXAMPLES / "demo.py").read_text().replace("hello, {name}", "good bye, {name}")
    with newcomer(migrated_home) as terminal:
        copy_demo(terminal.folder)
        (terminal.folder / "demo.py").write_text(broken)

        done = terminal.run("python demo.py", timeout=300)

        assert (done.returncode, left_running(terminal.folder)) == (1, [])
    assert "1 of 1 did not go as they should" in done.stdout
