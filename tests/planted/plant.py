"""Plant bugs in a copy of the kernel, one at a time: the test named for it must fail, and pass on the kernel as it is.

python tests/planted/plant.py [NAME …]   plants these bugs, or all of them
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KERNEL = ROOT / "src" / "tenuto" / "sql"
# Hypothesis takes longer to import than a test to run.
FLAGS = ("-q", "--no-header", "--tb=line", "-p", "no:cacheprovider", "-p", "no:hypothesispytest")
BROKEN = re.compile(r"errors\.(Undefined|Syntax|Ambiguous|DatatypeMismatch)")
if __name__ == "__main__":
    sys.path[:0] = [str(ROOT)]


@dataclass(frozen=True)
class Bug:
    """Edits of SQL files (file, regular expression, replacement) and the test that notices them."""

    name: str
    test: str
    edits: tuple[tuple[str, str, str], ...]


class PatchDoesNotFit(Exception):
    """The text that a bug changes is not in the kernel any more: write the bug anew."""


@contextmanager
def planted(bug: Bug) -> Iterator[Path]:
    """A copy of the SQL tree with the bug in it."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / bug.name
        shutil.copytree(KERNEL, tree)
        for file, pattern, replacement in bug.edits:
            text = (tree / file).read_text()
            changed, count = re.subn(pattern, replacement, text, flags=re.DOTALL)
            if count == 0 or changed == text:
                raise PatchDoesNotFit(f"bug {bug.name}: {file} has nothing that matches {pattern!r}")
            (tree / file).write_text(changed)
        yield tree


def run_tests(tests: Sequence[str], server_folder: Path, tree: Path | None = None) -> str:
    """How pytest sums up these tests, run on the server of server_folder: "1 failed", "20 passed"."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment["TENUTO_TEST_FOLDER"] = str(server_folder)
    if tree:
        environment["TENUTO_TEST_PLANT"] = str(tree)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *FLAGS, *tests],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if BROKEN.search(done.stdout):
        return "the SQL does not run"
    lines = done.stdout.strip().splitlines() or [done.stderr]
    return lines[-1].strip("= ").rsplit(" in ", 1)[0]


def main(names: Sequence[str]) -> int:
    from tests.planted.bugs import BUGS
    from tests.support.server import remove_server, run_folder, shared_server

    bugs = [bug for bug in BUGS if not names or bug.name in names]
    unknown = set(names) - {bug.name for bug in bugs}
    assert not unknown, f"no bug is called {', '.join(sorted(unknown))}"
    folder = run_folder(f"plant{os.getpid()}")
    unnoticed = 0
    with shared_server(folder):
        tests = sorted({bug.test for bug in bugs})
        sound = run_tests(tests, folder)
        print(f"{sound:<20} as it is")
        for bug in bugs:
            with planted(bug) as tree:
                found = run_tests([bug.test], folder, tree)
            unnoticed += found != "1 failed"
            print(f"{found:<20} {bug.name}")
    remove_server(folder)
    return int(unnoticed > 0 or sound != f"{len(tests)} passed")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
