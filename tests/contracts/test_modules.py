"""Every module says what it is, and its name says something."""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
FORBIDDEN_NAMES = {"utils", "util", "common", "core", "helpers", "helper", "manager", "misc"}


def files(*folders: str, pattern: str) -> list[Path]:
    found = [path for folder in folders for path in sorted((ROOT / folder).rglob(pattern))]
    return [path for path in found if "__pycache__" not in path.parts]


def test_every_module_opens_with_a_sentence():
    missing = [str(path.relative_to(ROOT)) for path in files("src", "tools", pattern="*.py") if not _docstring(path)]

    assert missing == []


def test_no_file_has_a_name_that_says_nothing():
    named = [path for path in files("src", "tests", "tools", pattern="*") if path.stem in FORBIDDEN_NAMES]

    assert named == []


def _docstring(path: Path) -> str | None:
    return ast.get_docstring(ast.parse(path.read_text()))
