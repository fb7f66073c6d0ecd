"""Plant bugs in a copy of the kernel, one at a time: the test named for it must fail, and pass on the kernel as it is.

python tests/planted/plant.py [NAME …]   plants these bugs, or all of them
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg

ROOT = Path(__file__).resolve().parents[2]
KERNEL = ROOT / "src" / "tenuto" / "sql"
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


def edited_files(bug: Bug) -> dict[str, str]:
    """The files that the bug changes, as it leaves them."""
    texts: dict[str, str] = {}
    for file, pattern, replacement in bug.edits:
        text = texts.get(file) or (KERNEL / file).read_text()
        changed, count = re.subn(pattern, replacement, text, flags=re.DOTALL)
        if count == 0 or changed == text:
            raise PatchDoesNotFit(f"bug {bug.name}: {file} has nothing that matches {pattern!r}")
        texts[file] = changed
    return texts


@contextmanager
def planted(bug: Bug, server: str, template: str) -> Iterator[str]:
    """The name of a copy of the template with the bug in it. Only what the bug changes is applied to it: to install the
    whole kernel takes ten times as long as most tests."""
    from tests.support.postgres.server import fresh_database

    texts = edited_files(bug)
    name = f"planted_{os.getpid()}"
    with fresh_database(server, name, template) as url:
        with psycopg.connect(url, autocommit=True, options="-c role=tenuto_owner") as conn:
            for text in texts.values():
                conn.execute(text.encode())
        yield name


class Runner:
    """A process that runs tests on the server of a folder, one call after the other: it imports everything once."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def run(self, tests: Sequence[str], planted: str | None = None) -> str:
        """How these tests ended ("1 failed", "20 passed"); with a planted bug one test, on the database that has it."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps({"tests": list(tests), "planted": planted}) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline() or '{"summary": "the runner ended", "output": ""}')
        print(answer["output"])  # pytest shows it when the planted bug is not noticed
        return "the SQL does not run" if BROKEN.search(answer["output"]) else answer["summary"]


@contextmanager
def a_runner(server_folder: Path) -> Iterator[Runner]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment["TENUTO_TEST_FOLDER"] = str(server_folder)
    command = [sys.executable, str(Path(__file__).with_name("runner.py"))]
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
        with process:
            yield Runner(process)


def main(names: Sequence[str]) -> int:
    from tests.planted.bugs import BUGS
    from tests.support.postgres.server import ensure_template, remove_server, run_folder, shared_server

    bugs = [bug for bug in BUGS if not names or bug.name in names]
    unknown = set(names) - {bug.name for bug in bugs}
    assert not unknown, f"no bug is called {', '.join(sorted(unknown))}"
    folder = run_folder(f"plant{os.getpid()}")
    unnoticed = 0
    with shared_server(folder) as server, a_runner(folder) as runner:
        template = ensure_template(server, folder)
        tests = sorted({bug.test for bug in bugs})
        sound = runner.run(tests)
        print(f"{sound:<20} as it is")
        for bug in bugs:
            with planted(bug, server, template) as copy:
                found = runner.run([bug.test], copy)
            unnoticed += found != "1 failed"
            print(f"{found:<20} {bug.name}")
    remove_server(folder)
    return int(unnoticed > 0 or sound != f"{len(tests)} passed")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
