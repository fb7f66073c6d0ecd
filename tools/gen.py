"""Write the generated files, or with --check list those that are stale."""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from attempt_calls_page import attempt_calls_page
from command_pages import command_pages
from python_pages import python_pages
from shown_code import pages_with_code
from sql_page import sql_pages
from state_machine_page import read_transitions, state_machine_page
from tenuto.db import embedded
from tenuto.db.install import install
from typescript_types import typescript_types
from yaml_pages import dag_schemas, yaml_pages

ROOT = Path(__file__).parents[1]
SQL = Path("src/tenuto/sql")
STATES = Path("docs/reference/state-machine.md")
REFERENCE = Path("docs/reference")
ATTEMPT_CALLS = REFERENCE / "attempt-calls.md"
API_TYPES = Path("web/src/api/schema.ts")
DAG_SCHEMAS = Path("web/src/api/dagSchema.json")


def generate(conn: psycopg.Connection) -> dict[Path, str]:
    """Return the content of every generated file, from a freshly migrated database."""
    files = {
        ATTEMPT_CALLS: attempt_calls_page(),
        API_TYPES: typescript_types(),
        DAG_SCHEMAS: dag_schemas(),
    }
    transitions = read_transitions(conn)
    if transitions is not None:
        files[STATES] = state_machine_page(transitions)
    pages = sql_pages(ROOT / SQL) | python_pages() | command_pages() | yaml_pages()
    files.update({REFERENCE / name: text for name, text in pages.items()})
    return files | pages_with_code(ROOT)


def stale(files: dict[Path, str], root: Path = ROOT) -> list[Path]:
    return [path for path, text in files.items() if not (root / path).exists() or (root / path).read_text() != text]


@contextmanager
def _fresh_database() -> Iterator[psycopg.Connection]:
    with tempfile.TemporaryDirectory(prefix="tenuto-gen-") as folder:
        Path(folder).chmod(0o711)  # root's embedded server runs as another user, which must be able to enter
        with embedded.server(Path(folder) / "home") as url:
            install.migrate(url)
            with psycopg.connect(url, autocommit=True) as conn:
                yield conn


def main() -> int:
    with _fresh_database() as conn:
        files = generate(conn)
    changed = stale(files)
    if "--check" in sys.argv[1:]:
        print("\n".join(f"{path} is stale: run `make gen`" for path in changed) or "Generated files: fresh.")
        return 1 if changed else 0
    for path in changed:
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(files[path])
        print(f"wrote {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
