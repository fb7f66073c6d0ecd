"""`make test` leaves nothing behind, however it ends, and repeats what failed."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.support.processes.forked_tenuto import ROOT
from tests.support.run.order import LONGEST
from tests.support.waiting import wait_until, wait_until_dead

TESTS = Path(__file__).parents[1]
CONFTEST = """
from tests.support.run.results import write_results
def pytest_configure(config):
    write_results(config)
"""
# A test with a server, which is a process of its own group and session, and no child of pytest.
ENDLESS = """
import os, shutil, tempfile, time
from pathlib import Path
from tenuto.db import embedded
from tests.support.postgres.server import copy_home, make_folder
def test_endless():
    home = make_folder("endless-") / "home"
    copy_home(Path(os.environ["MADE_HOME"]), home)
    pid = embedded.start(home).pid
    Path(os.environ["STARTED"]).write_text(f"{tempfile.gettempdir()} {os.getpid()} {pid}")
    time.sleep(600)
"""
# A test that uses the run's server.
WAITS = """
import os, time
from pathlib import Path
from tenuto.db import embedded
def test_that_waits(server, server_folder):
    Path(os.environ["STARTED"]).write_text(f"{server_folder} {embedded.status(server_folder).pid}")
    time.sleep(600)
"""
FAILS_AT_FIRST = """
from pathlib import Path
import pytest
@pytest.mark.parametrize("no", range({count}))
def test_two_tries(no, request):
    tried = request.path.parent / f"tried{{no}}"
    if not tried.exists():
        tried.touch()
        raise AssertionError("the first try")
"""
FAILS = "def test_broken(): assert 0\ndef test_sound(): pass\n"
LEAVES = """
import subprocess
def test_that_leaves_a_process():
    subprocess.Popen(["sleep", "600"], start_new_session=True)
"""


def command(folder: Path, test: str) -> list[str]:
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "test_it.py").write_text(test)
    return [sys.executable, str(ROOT / "tools" / "run_tests.py"), "-n", "0", "-p", "no:cacheprovider", str(folder)]


def environment(**more: str) -> dict[str, str]:
    mine = ("PYTEST_", "PYTHON", "TENUTO_", "CI")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(mine)}
    return {**clean, "PYTHONPATH": str(ROOT), **more}


def run(folder: Path, test: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(folder, test), cwd=folder, env=environment(**more), capture_output=True, text=True, check=False
    )


@pytest.fixture
def endless(tmp_path: Path, bare_home: Path) -> Iterator["subprocess.Popen[bytes]"]:
    more = {"MADE_HOME": str(bare_home), "STARTED": str(tmp_path / "started")}
    with (tmp_path / "output").open("wb") as file:
        process = subprocess.Popen(
            command(tmp_path, ENDLESS),
            cwd=tmp_path,
            env=environment(**more),
            stdout=file,
            stderr=file,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("killed", ["the runner", "the guard", "pytest", "the process group"])
def test_a_killed_run_leaves_no_server_and_no_file(
    killed: str, endless: "subprocess.Popen[bytes]", tmp_path: Path
) -> None:
    started = tmp_path / "started"
    wait_until(lambda: started.exists() and started.read_text())
    folder, *pids = started.read_text().split()
    runner = psutil.Process(endless.pid)
    (guard,) = runner.children()
    processes = [guard, *(psutil.Process(int(pid)) for pid in pids)]

    if killed == "the process group":
        os.killpg(endless.pid, signal.SIGKILL)
    else:
        {"the runner": runner, "the guard": guard, "pytest": processes[1]}[killed].kill()

    wait_until_dead(processes)
    wait_until(lambda: not Path(folder).exists())
    assert endless.wait(60) != 0


def test_an_interrupted_run_leaves_no_server(endless: "subprocess.Popen[bytes]", tmp_path: Path) -> None:
    started = tmp_path / "started"
    wait_until(lambda: started.exists() and started.read_text())
    folder, *pids = started.read_text().split()
    processes = [psutil.Process(int(pid)) for pid in pids]

    os.killpg(endless.pid, signal.SIGINT)  # as Ctrl-C in a terminal

    assert endless.wait(60) != 0
    wait_until_dead(processes)
    assert not Path(folder).exists()


def test_a_killed_pytest_without_the_runner_leaves_no_server(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text("from tests.conftest import *")
    (tmp_path / "test_it.py").write_text(WAITS)
    started = tmp_path / "started"
    arguments = ["-n", "0", "-p", "no:cacheprovider", f"--rootdir={tmp_path}", str(tmp_path)]
    pytest_itself = subprocess.Popen(
        [sys.executable, "-m", "pytest", *arguments], cwd=tmp_path, env=environment(STARTED=str(started))
    )
    try:
        wait_until(lambda: started.exists() and started.read_text())
    finally:
        pytest_itself.kill()
        pytest_itself.wait()

    folder, pid = started.read_text().rsplit(" ", 1)
    wait_until_dead([psutil.Process(int(pid))])
    wait_until(lambda: not Path(folder).exists())


@pytest.mark.parametrize(("count", "ci", "code"), [(2, "true", 0), (3, "true", 1), (3, None, 0)])
def test_tests_that_pass_alone_are_named_and_more_than_two_fail_ci(
    count: int, ci: str | None, code: int, tmp_path: Path
) -> None:
    done = run(tmp_path, FAILS_AT_FIRST.format(count=count), **({"CI": ci} if ci else {}))

    assert done.returncode == code, done.stdout
    assert [line for line in done.stdout.splitlines() if line.startswith("FLAKY ")] == [
        f"FLAKY test_it.py::test_two_tries[{no}]" for no in range(count)
    ]
    assert f"{count} passed, 0 failed, 0 skipped" in done.stdout


def test_what_fails_twice_fails_the_run(tmp_path: Path) -> None:
    done = run(tmp_path, FAILS)

    assert done.returncode == 1
    assert "FLAKY" not in done.stdout
    assert done.stdout.splitlines()[-1] == "1 passed, 1 failed, 0 skipped"


def test_a_process_that_tests_leave_behind_fails_the_run_and_is_ended(tmp_path: Path) -> None:
    done = run(tmp_path, LEAVES)

    assert done.returncode == 1
    assert "The tests left these processes behind" in done.stderr
    (left,) = [line.split() for line in done.stderr.splitlines() if "sleep 600" in line]
    assert not psutil.pid_exists(int(left[0]))


def test_the_list_of_the_longest_tests_names_tests() -> None:
    places = [name.split("::") for name in LONGEST]

    assert [name for path, name in places if f"def {name}(" not in (TESTS / path).read_text()] == []
