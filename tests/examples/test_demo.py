"""`make demo` shows everything and ends by itself, and says so when something is not as it should be."""

from pathlib import Path

import psutil

from tenuto.db import embedded
from tests.support.processes.terminal import ROOT, newcomer

DEMO = ROOT / "examples" / "demo.py"


def left_running(folder: Path) -> list[str]:
    """Processes of this folder, and its database."""
    lines = [" ".join(one.info["cmdline"] or ()) for one in psutil.process_iter(["cmdline"])]
    database = ["postgres"] if embedded.status(folder / "home").running else []
    return database + [line for line in lines if str(folder) in line]


def test_the_demo_shows_the_whole_way_and_leaves_nothing_running() -> None:
    with newcomer() as terminal:
        (terminal.folder / "demo.py").write_text(DEMO.read_text())

        done = terminal.run("python demo.py")

        assert done.returncode == 0, done.stdout + done.stderr
        for said in ("hello, world", "together 999,000", "on attempt 2", "published 4,950", "it ticked"):
            assert said in done.stdout
        assert left_running(terminal.folder) == []
        assert terminal.run("tenuto schedules list").stdout == "no schedules\n"


def test_a_demo_that_does_not_go_as_it_should_fails(migrated_home: Path) -> None:
    broken = DEMO.read_text().replace("hello, {name}", "good bye, {name}")
    with newcomer(migrated_home) as terminal:
        (terminal.folder / "demo.py").write_text(broken)

        done = terminal.run("python demo.py")

        assert (done.returncode, left_running(terminal.folder)) == (1, [])
    assert "1 of 1 did not go as they should" in done.stdout
