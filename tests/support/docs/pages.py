"""Pages of the docs as something that runs: their code blocks, in order, as a reader would type them.

A Python block that begins with a comment naming a file is that file, or goes on with it. Any other is run as in a
notebook, with `tn`, the client of the page's app, and the names of its tasks at hand. A bash block is a command line;
`tenuto up`, `worker`, `dispatcher` and `server` stay beside the rest. A text block after them is what they print, where
`…` stands for what differs from time to time. A block that cannot run has the line `<!-- not run: why -->` before it.
A block that shows code of another file (`<!-- from … -->`, see tools/shown_code.py) is run where this file is run.
"""

import json
import os
import re
import shlex
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from tests.support.processes.forked_tenuto import ForkedTenuto
from tests.support.processes.terminal import ROOT, Terminal

MARK = r"(?:<!-- (?:not run: (?P<why>.+?)|from (?P<source>.+?)) -->\n+)?"
BLOCK = re.compile(MARK + r"```(?P<language>\w+)\n(?P<code>.*?)```", re.DOTALL)
FILE = re.compile(r"# ([\w/]+\.py)\b.*\n")
STAYS = re.compile(r"tenuto (up|worker|dispatcher|server)\b(?!-)")
SET = re.compile(r"^([A-Z]\w*)=", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    language: str
    code: str
    line: int
    not_run: str | None
    source: str | None = None  # the file whose code it shows, and which part of it

    @property
    def runs(self) -> bool:
        """Whether it is run as a part of its page."""
        return self.not_run is None and self.source is None

    @property
    def file(self) -> str | None:
        """The file that it is a part of."""
        found = FILE.match(self.code) if self.language == "python" else None
        return found[1] if found else None


def blocks_of(page: Path) -> list[Block]:
    return [
        Block(match["language"], match["code"], _line_of(match), match["why"], match["source"])
        for match in BLOCK.finditer(page.read_text())
    ]


def _line_of(match: re.Match[str]) -> int:
    return match.string.count("\n", 0, match.start("code")) + 1


class Reader:
    """Somebody with a folder of their own who does what a page says."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal, self._folder = terminal, terminal.folder
        self._staying = ExitStack()
        self._notebook: Notebook | None = None
        self._printed = ""
        self._state = terminal.folder / "variables"

    def follow(self, page: Path) -> None:
        """Everything on the page; what does not go as it says is named with its line."""
        blocks = [block for block in blocks_of(page) if block.runs]
        with self._staying:
            for block in blocks:
                if block.file:
                    (self._folder / block.file).parent.mkdir(exist_ok=True)
                    with (self._folder / block.file).open("a") as file:
                        file.write(f"{block.code}\n")
            if (self._folder / "tasks.py").exists() and not any(STAYS.match(block.code) for block in blocks):
                self._stay("tenuto up tasks.py")
            for block in blocks:
                self._do(block, f"{page.name}:{block.line}")

    def _do(self, block: Block, where: str) -> None:
        match block.language:
            case "bash" if STAYS.match(block.code):
                self._stay(block.code.strip())
            case "bash":
                self._printed = self._command(block.code, where)
            case "python" if not block.file:
                self._printed = self._cell(block.code, where)
            case "text":
                check_printed(block.code, self._printed, where)
            case "python" | "sql":
                pass
            case other:
                raise AssertionError(f"{where}: nobody runs {other} blocks")

    def _stay(self, command: str) -> None:
        log = self._folder / f"{command.split()[1]}.log"
        line = f"touch {self._state}; source {self._state}; exec {command.partition('#')[0]}"
        process = self._staying.enter_context(self._terminal.running(f"/bin/bash -c {shlex.quote(line)}", log))
        process.wait_for("tasks at once" if command.startswith("tenuto worker") else "Ctrl-C to stop")

    def _command(self, code: str, where: str) -> str:
        kept = "".join(f"declare -p {name} >> {self._state}\n" for name in SET.findall(code))
        done = self._terminal.run(f"exec 2>&1; touch {self._state}; source {self._state}\n{code}\n{kept}")
        assert done.returncode == 0, f"{where}: exit code {done.returncode}\n{done.stdout}"
        return done.stdout

    def _cell(self, code: str, where: str) -> str:
        if self._notebook is None:
            self._notebook = self._staying.enter_context(open_notebook(self._terminal))
        return self._notebook.run(code, where)


class Notebook:
    """A Python of its own that runs one block after the other."""

    def __init__(self, blocks: BinaryIO, answers: BinaryIO) -> None:
        self._blocks, self._answers = blocks, answers

    def run(self, code: str, where: str) -> str:
        self._blocks.write(json.dumps(code).encode() + b"\n")
        self._blocks.flush()
        answer = json.loads(self._answers.readline() or '{"error": "it ended"}')
        assert "error" not in answer, f"{where}: {answer['error']}"
        return answer["printed"]


@contextmanager
def open_notebook(terminal: Terminal) -> Iterator[Notebook]:
    (read_blocks, write_blocks), (read_answers, write_answers) = os.pipe(), os.pipe()
    with (
        os.fdopen(read_blocks, "rb") as stdin,
        os.fdopen(write_answers, "wb") as stdout,
        os.fdopen(2, "wb", closefd=False) as stderr,
    ):
        process = ForkedTenuto(
            env=terminal.environment,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            cwd=terminal.folder,
            script=ROOT / "tests" / "support" / "docs" / "notebook_script.py",
        )
    with os.fdopen(read_answers, "rb") as answers:
        try:
            with os.fdopen(write_blocks, "wb") as blocks:
                yield Notebook(blocks, answers)
            process.wait(60)
        finally:
            process.kill()


def check_printed(expected: str, printed: str, where: str) -> None:
    """Line by line, spaces aside; `…` alone stands for any number of lines."""
    pattern = "".join(_line(line) for line in expected.strip().splitlines())
    lines = [" ".join(line.split()) for line in printed.strip().splitlines()]
    if "still waiting" not in expected:  # a line of commands that wait, on a busy machine
        lines = [line for line in lines if not line.startswith("still waiting: ")]
    seen = "\n".join(lines) + "\n"
    assert re.fullmatch(pattern, seen), f"{where}: the page shows\n{expected}\nbut this was printed\n{printed}"


def _line(line: str) -> str:
    words = " ".join(line.split())
    return r"(?:.*\n)*" if words == "…" else r".*".join(map(re.escape, words.split("…"))) + r"\n"
