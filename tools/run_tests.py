"""Run the tests (`make test`), then each test that failed once more, and leave nothing behind, however the run ends.

There are three processes: this one, which `make` or a signal may end; a guard in a process group of its own, which
survives it; and pytest, a child of the guard. What a process of the tests leaves behind becomes a child of the guard.
When pytest or this process has ended, the guard ends all processes below it and removes the folder of their files.
Systems other than Linux have no such guard.
"""

import ctypes
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

import psutil

from tenuto.db.embedded.abandoned import list_abandoned
from tenuto.db.embedded.paths import HOME_FILE

RECORDED = Path("build") / "test-results.json"  # of the last run: outcomes and times
PYTEST = [sys.executable, "-m", "pytest", "-rsfE", "--no-fold-skipped"]
PARALLEL = ["-n", "auto", "--dist", "worksteal", "--durations=20", "--durations-min=5"]
MAX_REPEATED = 20  # if more tests fail, something else is wrong
MAX_FLAKY = 2  # in CI
MEMORY = Path("/dev/shm")  # noqa: S108 - the folder made in it has a name that nobody can guess
MEMORY_BYTES = 6 << 30  # that must be free, else the folder is on disk
FAILED, STOPPED = 1, -1
SET_CHILD_SUBREAPER = 36  # of prctl(2)
POLL_SECONDS = 0.1
GRACE_SECONDS = 10  # for a process to end by itself


@dataclass(frozen=True)
class Results:
    """The names of tests by outcome, as tests/support/run/results.py writes them."""

    passed: frozenset[str] = frozenset()
    failed: frozenset[str] = frozenset()
    skipped: frozenset[str] = frozenset()


def read_results(file: Path) -> Results:
    found = json.loads(file.read_text()) if file.exists() else {}
    return Results(*(frozenset(found.get(kind, ())) for kind in ("passed", "failed", "skipped")))


def main() -> int:
    folder = _make_folder()
    if sys.platform != "linux":
        try:
            return _run_tests(Run(folder, os.getpgrp(), None))
        finally:
            _remove(folder)
    ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, 1)
    alive, until_the_end = os.pipe()  # `alive` becomes readable when this process has ended
    group = os.getpgrp()
    guard = os.fork()
    if guard == 0:
        os.close(until_the_end)
        os.setpgid(0, 0)
        code = _guard(Run(folder, group, alive))
        sys.stdout.flush()
        os._exit(code)
    for number in (signal.SIGINT, signal.SIGQUIT):  # from the terminal; pytest gets them too, and ends
        signal.signal(number, lambda *_: None)
    _, status = os.waitpid(guard, 0)
    code = os.waitstatus_to_exitcode(status)
    if code < 0:  # the guard was killed
        _end_all()
        _remove(folder)
    return code


@dataclass(frozen=True)
class Run:
    folder: Path  # of all temporary files
    group: int  # the process group that gets the signals of the terminal
    alive: int | None

    @property
    def results(self) -> Path:
        return self.folder / "results.json"

    def pytest(self, arguments: Iterable[str]) -> tuple[int, Results]:
        """Returns pytest's exit code, or STOPPED if the run was stopped, and the results of the tests."""
        self.results.unlink(missing_ok=True)
        process = subprocess.Popen(
            [*PYTEST, *arguments],
            env=os.environ
            | {"TMPDIR": str(self.folder), "TENUTO_TEST_RESULTS": str(self.results), "TENUTO_TEST_GUARD": "1"},
            process_group=self.group,
        )
        process.returncode = self._wait(process.pid)
        return process.returncode, read_results(self.results)

    def _wait(self, pid: int) -> int:
        """Returns the exit code of this process, or STOPPED. Meanwhile takes note of the end of orphans, as init does:
        tests wait for that, and thousands of ended processes would make every look at the process table slow."""
        watched = [] if self.alive is None else [self.alive]
        while not select.select(watched, [], [], POLL_SECONDS)[0]:
            with suppress(ChildProcessError):
                while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                    if ended[0] == pid:
                        return max(os.waitstatus_to_exitcode(ended[1]), STOPPED)
        return STOPPED


def _guard(run: Run) -> int:
    ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, 1)
    try:
        code = _run_tests(run)
        left = _end_all()
        if left and code >= 0:
            print("The tests left these processes behind, which have been ended:", *left, sep="\n  ", file=sys.stderr)
        return 1 if left or code < 0 else code
    finally:
        _remove(run.folder)


def _make_folder() -> Path:
    """In memory if there is room: servers sync their files, and a database is cloned three times faster."""
    roomy = os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > MEMORY_BYTES
    folder = Path(tempfile.mkdtemp(prefix="tenuto-tests-", dir=MEMORY if roomy else None))
    folder.chmod(0o1777)  # as /tmp: servers that root starts run as another user
    return folder


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    for data in list_abandoned():  # of homes that only root can enter
        if Path((data / HOME_FILE).read_text()).is_relative_to(folder):
            shutil.rmtree(data, ignore_errors=True)


def _run_tests(run: Run) -> int:
    """Run all tests, then those that failed once more in one process with nothing beside it."""
    began = monotonic()
    code, results = run.pytest([*PARALLEL, *sys.argv[1:]])
    if run.results.exists():
        RECORDED.parent.mkdir(exist_ok=True)
        shutil.copy(run.results, RECORDED)
    failed, flaky = results.failed, frozenset[str]()
    if code == FAILED and 0 < len(failed) <= MAX_REPEATED:
        code, again = run.pytest(["-n", "0", *sorted(failed)])
        flaky = failed & again.passed
        failed -= flaky
    if code < 0:
        return code
    for name in sorted(flaky):
        print("FLAKY", name)
    minutes, seconds = divmod(round(monotonic() - began), 60)
    print(f"Took {minutes}:{seconds:02}. Tests that failed and then passed alone: {len(flaky)}.")
    print(f"{len(results.passed | flaky)} passed, {len(failed)} failed, {len(results.skipped)} skipped")
    if code == 0 and len(flaky) > MAX_FLAKY and "CI" in os.environ:
        print(f"More than {MAX_FLAKY} flaky tests fail CI.")
        return FAILED
    return code


def _end_all() -> list[str]:
    """End every process below this one and return what they were."""
    left = _running()
    names = [_name(process) for process in left]
    for process in left:
        _signal(process, signal.SIGTERM)
    psutil.wait_procs(left, timeout=GRACE_SECONDS)
    while left := _running():
        for process in left:
            _signal(process, signal.SIGKILL)
        psutil.wait_procs(left, timeout=GRACE_SECONDS)
    return names


def _running() -> list[psutil.Process]:
    return [process for process in psutil.Process().children(recursive=True) if _is_running(process)]


def _is_running(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _name(process: psutil.Process) -> str:
    try:
        return f"{process.pid} {' '.join(process.cmdline()) or process.name()}"[:200]
    except psutil.NoSuchProcess:
        return f"{process.pid}"


def _signal(process: psutil.Process, number: int) -> None:
    with suppress(psutil.NoSuchProcess):
        process.send_signal(number)


if __name__ == "__main__":
    sys.exit(main())
