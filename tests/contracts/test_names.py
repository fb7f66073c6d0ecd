"""A class name has one meaning in the code base."""

import ast
from collections import defaultdict
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "tenuto"


def test_no_public_class_name_exists_twice() -> None:
    modules: dict[str, list[str]] = defaultdict(list)
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                modules[node.name].append(str(path.relative_to(SOURCE)))

    assert {name: paths for name, paths in modules.items() if len(paths) > 1} == {}
