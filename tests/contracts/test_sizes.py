"""Nothing grows past what a person reads in one go."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CODE = ("src", "tools", "examples", "bench")
FORBIDDEN_NAMES = {"utils", "util", "common", "core", "helpers", "helper", "manager", "misc"}


def files(*folders: str, pattern: str) -> list[Path]:
    found = [path for folder in folders for path in sorted((ROOT / folder).rglob(pattern))]
    return [path for path in found if "__pycache__" not in path.parts]


def longer_than(limit: int, paths: list[Path]) -> dict[str, int]:
    lengths = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in paths}
    return {path: length for path, length in lengths.items() if length > limit}


@pytest.mark.parametrize(
    ("limit", "paths"),
    [
        (300, files(*CODE, pattern="*.py")),
        (400, files("tests", pattern="*.py")),
        (200, files("docs", pattern="*.md")),
        (200, [ROOT / "ARCHITECTURE.md", ROOT / "README.md", ROOT / "CONTRIBUTING.md"]),
    ],
    ids=["modules", "test files", "doc pages", "front pages"],
)
def test_files_stay_within_their_budget(limit, paths):
    assert paths, "nothing was measured"
    assert longer_than(limit, paths) == {}


def test_functions_stay_within_50_lines():
    assert {name: lines for name, lines in function_lengths(files(*CODE, pattern="*.py")) if lines > 50} == {}


def function_lengths(paths: list[Path]) -> list[tuple[str, int]]:
    return [
        (f"{path.relative_to(ROOT)}:{node.name}", (node.end_lineno or 0) - node.lineno + 1)
        for path in paths
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def test_every_module_opens_with_a_sentence():
    missing = [str(path.relative_to(ROOT)) for path in files("src", "tools", pattern="*.py") if not _docstring(path)]

    assert missing == []


def test_no_file_has_a_name_that_says_nothing():
    named = [path for path in files("src", "tests", "tools", pattern="*") if path.stem in FORBIDDEN_NAMES]

    assert named == []


def _docstring(path: Path) -> str | None:
    return ast.get_docstring(ast.parse(path.read_text()))
