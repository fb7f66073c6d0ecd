"""A sandbox built by hand: what it shows and hides, and bounds that are too slow to meet in a worker."""

import asyncio
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tenuto.runtimes.sandbox.capabilities import FULL, find_capabilities
from tenuto.runtimes.sandbox.runtime import of_python, start
from tenuto.runtimes.sandbox.seccomp import program
from tenuto.runtimes.sandbox.spec import LIMITS, Code, Limits, Spec
from tenuto.runtimes.sandbox.uids import FIRST, borrowed_uid
from tests.support.sandbox.availability import OUTSIDE_MEMORY

JOB = {
    "run": "x.run", "task_id": "t", "run_id": "r", "no": 1, "number": 1, "failures": 0, "slots": None,
    "metadata": None, "root_id": None, "org": "default",
}  # fmt: skip


@pytest.fixture
def code() -> Iterator[Path]:
    """A folder that the sandbox sees; everybody can enter it, which pytest's own would not allow."""
    with tempfile.TemporaryDirectory(prefix="tenuto-test-", dir=OUTSIDE_MEMORY) as folder:
        Path(folder).chmod(0o755)
        shown = Path(folder) / "shown"
        shown.mkdir()
        yield shown


def run(folder: Path, text: str, *, limits: Limits = LIMITS, hidden: tuple[str, ...] = ()) -> Any:
    """What `run()` of the text returns inside, or how its sandbox died."""
    (folder / "untrusted.py").write_text(f"import os, subprocess, pathlib\n{text}\n")

    async def converse() -> Any:
        root = folder.parent / "root"
        root.mkdir(exist_ok=True)
        with borrowed_uid() as uid:
            shown = (*of_python(), str(folder))
            where: dict[str, Any] = {"root": str(root), "shown": shown, "hidden": hidden, "path": (str(folder),)}
            sandbox = await start(Spec(Code(entry="untrusted:run"), limits=limits, uid=uid, **where))
            try:
                sandbox.send({"input": "[]", **JOB})
                async for message in sandbox.messages():
                    if "outcome" in message:
                        return message["outcome"]
                return sandbox.how_it_died(await sandbox.process.wait()).error["message"]
            finally:
                await sandbox.end()

    return asyncio.run(converse())


def test_a_program_that_runs_as_root_for_everybody_does_not_for_it(code: Path) -> None:
    shutil.copy("/usr/bin/id", code / "id")
    (code / "id").chmod(0o4755)
    control = subprocess.run([code / "id", "-u"], user=65534, capture_output=True, text=True, check=True)
    assert control.stdout == "0\n"

    found = run(code, f"def run(): return subprocess.run(['{code}/id', '-u'], capture_output=True, text=True).stdout")

    assert int(found["output"].strip('"\\n')) >= FIRST


def test_cpu_time_is_bounded_and_the_end_says_so(code: Path) -> None:
    assert run(code, "def run():\n  while True: pass", limits=Limits(cpu=1)) == (
        "the sandbox was ended by SIGXCPU: it used more than its 1 s of CPU time"
    )


def test_the_home_is_hidden_even_inside_what_is_shown(code: Path) -> None:
    (code / "home").mkdir()
    (code / "home" / "pepper").write_text("secret")
    look = f"def run(): return [p.name for p in pathlib.Path('{code}/home').iterdir()]"

    assert run(code, look)["output"] == '["pepper"]'
    assert run(code, look, hidden=(str(code / "home"),))["output"] == "[]"


def test_code_that_cannot_be_imported_is_a_failure_that_says_why(code: Path) -> None:
    outcome = run(code, "import nothing_like_that")

    assert outcome["kind"] == "Failed"
    assert "untrusted:run cannot be imported: ModuleNotFoundError" in outcome["error"]["message"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("raise SystemExit(3)", "3"),
        ("run = 3", "untrusted:run is not a function"),
        ("def run():\n  yield 1", "is a generator"),
        ("other = 1", "has no attribute 'run'"),
    ],
)
def test_code_that_is_no_task_is_a_failure_too(code: Path, text: str, says: str) -> None:
    outcome = run(code, text)

    assert outcome["kind"] == "Failed", outcome
    assert says in outcome["error"]["message"]


def test_nothing_is_left_on_the_machine(code: Path) -> None:
    def mounts() -> set[str]:
        return set(Path("/proc/self/mounts").read_text().splitlines())

    before = mounts()
    run(code, "def run(): pathlib.Path('/tmp/left').write_text('x')")

    assert mounts() == before
    assert list((code.parent / "root").iterdir()) == []


def test_two_sandboxes_never_have_the_same_user() -> None:
    with borrowed_uid() as one, borrowed_uid() as other:
        assert one != other


def test_a_full_sandbox_can_be_built_by_root() -> None:
    assert os.geteuid() == 0
    assert asyncio.run(find_capabilities(weak=False)).name == FULL


def test_the_filter_is_whole_lines_and_short_enough_for_the_kernel() -> None:
    assert len(program()) % 8 == 0
    assert len(program()) // 8 < 4096
