"""What the type checker cannot see stays small: calls that splat a mapping, and values of type `Any`."""

import ast
from collections import Counter
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "tenuto"
MAX_SPLATS = 40
MAX_ANY = 454


def per_folder(matches) -> Counter[str]:
    """How many nodes of the code match, by folder."""
    counts: Counter[str] = Counter()
    for path in sorted(SOURCE.rglob("*.py")):
        nodes = ast.walk(ast.parse(path.read_text()))
        counts[str(path.parent.relative_to(SOURCE))] += sum(map(matches, nodes))
    return +counts


def is_splat(node: ast.AST) -> bool:
    """Is it a call like `f(**options)`? A dict display, `{**options}`, is none."""
    return isinstance(node, ast.Call) and any(keyword.arg is None for keyword in node.keywords)


def is_any(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "Any"


def report(counts: Counter[str]) -> str:
    lines = [f"{count:5}  {folder}" for folder, count in counts.most_common()]
    return "\n".join([*lines, f"{counts.total():5}  in all"])


def test_few_calls_splat_a_mapping() -> None:
    counts = per_folder(is_splat)
    print(report(counts))

    assert counts.total() <= MAX_SPLATS, "pass the arguments by name, or one frozen dataclass"


def test_few_values_have_the_type_any() -> None:
    counts = per_folder(is_any)
    print(report(counts))

    assert counts.total() <= MAX_ANY, "use Json for JSON values and object for values that are only passed on"
