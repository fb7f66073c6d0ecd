"""Print the largest modules, functions, SQL files, test files and pages, and how much each grew in a day. A file that
grew may hold two ideas; a number decides nothing."""

import ast
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
SHOWN = 20
KINDS = {
    "modules": ("src/tenuto/*.py", "tools/*.py", "bench/*.py", "examples/*.py"),
    "SQL files": ("src/tenuto/sql/*.sql",),
    "test files": ("tests/*.py",),
    "pages": ("*.md",),
}
GENERATED = ("docs/reference/",)


def main() -> None:
    before = _git("rev-list", "-1", "--before=1 day ago", "HEAD").strip()
    for kind, patterns in KINDS.items():
        _show(kind, patterns, before, lambda path, text: iter([(path, len(text.splitlines()))]))
    _show("functions", KINDS["modules"], before, _functions)


def _show(
    kind: str, patterns: tuple[str, ...], before: str, measure: Callable[[str, str], Iterator[tuple[str, int]]]
) -> None:
    paths = [path for path in _git("ls-files", *patterns).split() if not path.startswith(GENERATED)]
    sizes = dict(item for path in paths for item in measure(path, (ROOT / path).read_text()))
    largest = sorted(sizes, key=lambda name: -sizes[name])[:SHOWN]
    print(f"Largest {kind}, in lines, and their growth in a day:")
    for name in largest:
        path = name.partition(":")[0]
        old = dict(measure(path, _git("show", f"{before}:{path}"))) if before else {}
        growth = sizes[name] - old.get(name, 0)
        print(f"  {sizes[name]:5}  {f'{growth:+}' if growth else '':>5}  {name}")


def _functions(path: str, text: str) -> Iterator[tuple[str, int]]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{path}:{node.name}", (node.end_lineno or 0) - node.lineno + 1


def _git(*arguments: str) -> str:
    """The output of git; nothing for a file that the commit did not have, and in a copy without history."""
    command = ["git", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout


if __name__ == "__main__":
    main()
