"""A client does over HTTP what it does on the database: few tests of it may say that they cannot, each with why."""

import ast
from pathlib import Path

SDK = Path(__file__).parents[1] / "sdk"
MOST = 7


def marks() -> list[tuple[str, str]]:
    """The tests that are marked, with what they say."""
    found = []
    for path in sorted(SDK.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                found += [
                    (node.name, ast.unparse(one)) for one in node.decorator_list if "direct_only" in ast.unparse(one)
                ]
    return found


def test_few_tests_of_the_client_are_for_the_database_alone_and_each_says_why() -> None:
    assert 0 < len(marks()) <= MOST
    assert [name for name, said in marks() if "reason='" not in said and 'reason="' not in said] == []


def test_no_module_is_marked_as_a_whole() -> None:
    assert [path.name for path in SDK.glob("*.py") if "pytestmark" in path.read_text()] == []
