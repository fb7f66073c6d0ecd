"""What the pages say happens: their code and commands run, and print what is shown."""

from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from tenuto.cli.root import build_app
from tests.support.docs.pages import Reader, blocks_of
from tests.support.postgres.server import copy_home
from tests.support.processes.terminal import ROOT, Terminal, newcomer
from tests.support.sandbox.availability import OUTSIDE_MEMORY, require_full_sandbox

DOCS = ROOT / "docs"
RUN = ("python", "bash", "text", "sql", "js", "ts")
COMMANDS = tuple(
    DOCS / f"{name}.md"
    for name in (
        "howto/alerts",
        "howto/command-line",
        "howto/deliver-effects",
        "howto/deploy-dags",
        "howto/openlineage",
        "howto/people-and-keys",
        "howto/start-jobs",
        "howto/untrusted-code",
        "operate/monitoring",
        "operate/roles",
    )
)
OVER_HTTP = tuple(DOCS / "howto" / f"{name}.md" for name in ("http-api", "remote-workers"))
FROM_NOTHING = (ROOT / "README.md", DOCS / "quickstart.md")
EMBEDDED = (*OVER_HTTP, *COMMANDS)  # with the embedded server, which the pages above have made
OWN_TEST = tuple(
    DOCS / "howto" / name
    for name in (
        "generate-a-client.md",
        "generate-a-typescript-client.md",
        "hooks.md",
        "use-s3.md",
        "write-a-worker.md",
    )
)  # a test of its own runs it
PAGES = sorted(
    page
    for folder in ("howto", "learn")
    for page in (DOCS / folder).glob("*.md")
    if page not in (*FROM_NOTHING, *EMBEDDED, *OWN_TEST) and any(block.language != "sql" for block in blocks_of(page))
)
# Blocks that need what a test cannot have; each says why on its page.
NOT_RUN = {
    "README.md": 1,
    "quickstart.md": 3,
    "retry-a-run.md": 1,
    "alerts.md": 1,
    "change-running-workflows.md": 1,
    "command-line.md": 3,
    "commands-over-http.md": 1,
    "migrate-from-airflow.md": 2,
    "migrate-from-celery.md": 1,
    "migrate-from-dagster.md": 1,
    "migrate-from-dbos.md": 1,
    "migrate-from-hatchet.md": 1,
    "migrate-from-prefect.md": 1,
    "migrate-from-temporal.md": 1,
    "migrate-from-wgp.md": 1,
    "openlineage.md": 1,
    "people-and-keys.md": 1,
    "run-workers-in-production.md": 1,
    "transactional-start.md": 1,
    "use-s3.md": 1,
    "write-a-worker.md": 2,
}


@pytest.fixture
def terminal(database: str, tmp_path: Path) -> Terminal:
    return Terminal(tmp_path, TENUTO_DATABASE_URL=database, TENUTO_HOME=str(tmp_path / "home"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_can_be_followed(page: Path, terminal: Terminal, request: pytest.FixtureRequest) -> None:
    if "pytest" in page.read_text():
        copy_home(request.getfixturevalue("testing_home"), terminal.folder / "home" / "testing")
    Reader(terminal).follow(page)


@pytest.mark.parametrize("page", FROM_NOTHING, ids=lambda page: page.stem)
def test_a_page_can_be_followed_by_somebody_who_has_nothing(page: Path) -> None:
    with newcomer() as terminal:
        Reader(terminal).follow(page)


@pytest.mark.parametrize("page", EMBEDDED, ids=lambda page: page.stem)
def test_a_page_can_be_followed_with_the_embedded_server(page: Path, migrated_home: Path) -> None:
    below = None
    if page.stem == "untrusted-code":
        require_full_sandbox()
        below = OUTSIDE_MEMORY
    with newcomer(migrated_home, below=below) as terminal:
        Reader(terminal).follow(page)


def test_the_pages_have_an_example_of_every_command() -> None:
    pages = [page for folder in ("howto", "operate") for page in (DOCS / folder).glob("*.md")]
    page = "\n".join(page.read_text() for page in pages)
    command: Any = get_command(build_app())
    commands = [f"tenuto {name}" for name, one in command.commands.items() if not hasattr(one, "commands")]
    for group, one in command.commands.items():
        commands += [f"tenuto {group} {name}" for name in getattr(one, "commands", ())]

    assert [name for name in commands if f"\n{name}" not in page and f"$({name}" not in page] == []


def test_blocks_are_of_a_kind_that_is_run_or_say_why_not() -> None:
    pages = [ROOT / "README.md", *DOCS.glob("*.md"), *(DOCS / "howto").glob("*.md"), *(DOCS / "learn").glob("*.md")]
    blocks = [(page.name, block) for page in pages for block in blocks_of(page)]

    assert [(page, block.line) for page, block in blocks if block.runs and block.language not in RUN] == []
    counted = [page for page, block in blocks if block.not_run]
    assert {page: counted.count(page) for page in counted} == NOT_RUN
