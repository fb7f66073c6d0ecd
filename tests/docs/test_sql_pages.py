"""The SQL in the docs runs as it stands there."""

import subprocess
from pathlib import Path

import pytest

from tenuto.db.embedded.binaries import find_program
from tests.support.docs.pages import blocks_of

DOCS = Path(__file__).parents[2] / "docs"


def sql_of(page: Path) -> list[str]:
    return [block.code for block in blocks_of(page) if block.language == "sql" and not block.not_run]


PAGES = [page for page in DOCS.rglob("*.md") if sql_of(page)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_sql_block_of_a_page_runs_after_those_before_it(page: Path, database: str) -> None:
    psql = find_program("psql")
    assert psql is not None
    script = "\n".join(sql_of(page))

    done = subprocess.run([psql, database, "-v", "ON_ERROR_STOP=1", "-X"], input=script, capture_output=True, text=True)

    assert done.returncode == 0, done.stderr
    assert ("accepted" in done.stdout) == ("complete_tasks" in script)
