"""Projects on one machine: one with settings has its own database, two without are warned."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.postgres.server import copy_home, make_folder
from tests.support.processes.terminal import Terminal, newcomer

TASKS = "from tenuto import App\napp = App('shop')\n\n@app.task\ndef where() -> str:\n    return '{}'\n"


@pytest.fixture
def project(migrated_home: Path) -> Iterator[Path]:
    """A project with settings and its own home, which is a copy to save time."""
    folder = make_folder("tenuto-project-")
    (folder / "shop").mkdir()
    (folder / "pyproject.toml").write_text('[tool.tenuto]\napp = "shop.tasks:app"\nqueues = ["default"]\n')
    (folder / "shop" / "tasks.py").write_text(TASKS.format("project"))
    copy_home(migrated_home, folder / ".tenuto")
    yield folder
    Terminal(folder).run("tenuto db stop")
    shutil.rmtree(folder)


def test_up_runs_the_app_of_the_project_from_any_folder_of_it_with_its_own_home(project: Path) -> None:
    terminal = Terminal(project / "shop")
    with terminal.running("tenuto up", project / "up.log") as up:
        up.wait_for("Ctrl-C to stop")
        assert f"database: embedded, in {project}/.tenuto" in up.said()
        assert "worker: running shop.tasks:app" in up.said()
        assert terminal.run("tenuto start shop.where --wait").stdout.strip().endswith('"project"')


def test_two_folders_that_serve_the_same_tasks_from_the_home_of_the_user_are_named(migrated_home: Path) -> None:
    with newcomer(migrated_home) as first:
        (first.folder / "tasks.py").write_text(TASKS.format("first"))
        (first.folder / "copy").mkdir()
        shutil.copy(first.folder / "tasks.py", first.folder / "copy")
        second = Terminal(first.folder / "copy", TENUTO_HOME=first.environment["TENUTO_HOME"])
        with first.running("tenuto worker tasks.py", first.folder / "one.log") as one:
            one.wait_for("tasks at once")
            with second.running("tenuto worker tasks.py", first.folder / "two.log") as two:
                two.wait_for("serves shop.where too, and tasks may run its code")
                assert f"in {first.folder} serves shop.where too" in two.said()
