"""The SQL in the docs runs as it stands there."""

import re
import subprocess
from pathlib import Path

import pytest

from tenuto.db.embedded.binaries import find_program

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"```sql\n(.*?)```", re.DOTALL)
PAGES = [page for page in DOCS.rglob("*.md") if BLOCK.search(page.read_text())]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_sql_block_of_a_page_runs_after_those_before_it(page: Path, database: str) -> None:
    psql = find_program("psql")
    assert psql is not None
    script = "\n".join(BLOCK.findall(page.read_text()))

    done = subprocess.run([psql, database, "-v", "ON_ERROR_STOP=1", "-X"], input=script, capture_output=True, text=True)

    assert done.returncode == 0, done.stderr
    assert "accepted" in done.stdout
