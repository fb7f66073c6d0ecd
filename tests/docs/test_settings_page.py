"""The page of settings names every variable that is read, and its example is valid."""

import re
from pathlib import Path

from tenuto.sdk.project import find_project
from tests.support.docs.pages import blocks_of
from tests.support.processes.terminal import ROOT

PAGE = ROOT / "docs" / "reference" / "settings.md"
VARIABLE = re.compile(r"\bTENUTO_[A-Z]\w*[A-Z]\b")


def test_the_page_has_every_environment_variable() -> None:
    read = {name for file in (ROOT / "src" / "tenuto").rglob("*.py") for name in VARIABLE.findall(file.read_text())}

    assert read == set(VARIABLE.findall(PAGE.read_text()))


def test_the_example_of_a_project_is_valid(tmp_path: Path) -> None:
    (block,) = blocks_of(PAGE)
    (tmp_path / "pyproject.toml").write_text(block.code)

    project = find_project(tmp_path)

    assert project is not None
    assert (project.apps, project.queues, project.home) == (
        ("shop.tasks:app",),
        ("default", "mail"),
        "shop",
    )
