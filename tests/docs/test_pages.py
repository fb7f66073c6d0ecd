"""What the pages say happens: their code and commands run, and print what is shown."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command_line import tenuto
from tests.support.pages import Reader, blocks_of
from tests.support.terminal import ROOT, Terminal

DOCS = ROOT / "docs"
RUN = ("python", "bash", "text", "sql")
PAGES = sorted(page for page in (DOCS / "howto").glob("*.md") if any(b.language != "sql" for b in blocks_of(page)))
# Blocks that need what a test cannot have; each says why on its page.
NOT_RUN = {"quickstart.md": 2}


@pytest.fixture
def terminal(database: str, tmp_path: Path) -> Terminal:
    return Terminal(tmp_path, TENUTO_DATABASE_URL=database, TENUTO_HOME=str(tmp_path / "home"))


@pytest.fixture
def newcomer() -> Iterator[Terminal]:
    """Somebody without a database."""
    folder = Path(tempfile.mkdtemp(prefix="tenuto-docs-"))
    folder.chmod(0o755)
    yield Terminal(folder, TENUTO_HOME=str(folder / "home"))
    tenuto("db", "stop", TENUTO_HOME=folder / "home")
    shutil.rmtree(folder)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_can_be_followed(page: Path, terminal: Terminal) -> None:
    Reader(terminal).follow(page)


def test_the_quickstart_can_be_followed_by_somebody_who_has_nothing(newcomer: Terminal) -> None:
    Reader(newcomer).follow(DOCS / "quickstart.md")


def test_blocks_are_of_a_kind_that_is_run_or_say_why_not() -> None:
    pages = [ROOT / "README.md", *DOCS.glob("*.md"), *(DOCS / "howto").glob("*.md")]
    blocks = [(page.name, block) for page in pages for block in blocks_of(page)]

    assert {(page, block.line) for page, block in blocks if not block.not_run and block.language not in RUN} == set()
    counted = [page for page, block in blocks if block.not_run]
    assert {page: counted.count(page) for page in counted} == NOT_RUN
