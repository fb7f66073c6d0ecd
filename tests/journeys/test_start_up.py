"""A worker that is starting: nothing waits that need not, and it can be stopped at any moment."""

import os
import random
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from tests.support.database.attempts import outcomes, start_tasks, wait_for
from tests.support.database.tasks import Db
from tests.support.processes.workers import Fleet, WorkerProcess, a_fleet
from tests.support.waiting import wait_until

SEED = 10


@contextmanager
def a_server_that_says_nothing() -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"postgresql://postgres@127.0.0.1:{server.getsockname()[1]}/nothing"


def hears(worker: WorkerProcess, number: int) -> bool:
    """Whether the process has a handler for the signal: before that, Python itself is still starting."""
    (line,) = [line for line in Path(f"/proc/{worker.pid}/status").read_text().splitlines() if "SigCgt" in line]
    return bool(int(line.split()[1], 16) >> (number - 1) & 1)


def test_the_first_child_starts_while_the_supervisor_still_waits_for_the_database(tmp_path: Path):
    with a_server_that_says_nothing() as url, a_fleet(url, tmp_path) as fleet:
        worker = fleet.start("plain", wait=False, from_start=True)

        wait_until(lambda: worker.children() != [])

        worker.tell(signal.SIGTERM)
        assert worker.wait() == 0


def cpu_of(worker: WorkerProcess) -> float:
    return sum(psutil.Process(worker.pid).cpu_times()[:2])


def stop_at_random_moments(fleet: Fleet, times: int) -> None:
    """Moments are seconds of CPU that the supervisor has used."""
    chance = random.Random(SEED)  # noqa: S311
    for _ in range(times):
        number, moment = chance.choice((signal.SIGTERM, signal.SIGINT)), chance.uniform(0.05, 1.0)
        worker = fleet.start("plain", wait=False, from_start=True)
        wait_until(lambda worker=worker, number=number: hears(worker, number))
        wait_until(lambda worker=worker, moment=moment: cpu_of(worker) > moment or "tasks at once" in worker.log)

        worker.tell(number)

        assert worker.wait() == 0, worker.log


def test_a_signal_at_any_moment_of_the_start_is_a_clean_exit(fleet: Fleet):
    stop_at_random_moments(fleet, 4)


def test_a_signal_as_soon_as_the_first_task_runs_leaves_it_the_grace_period(db: Db, fleet: Fleet):
    (task,) = start_tasks(db, "plain.hold", ["door"])
    worker = fleet.start("plain", wait=False, from_start=True)
    wait_until(lambda: "begun door" in fleet.effects())

    worker.tell(signal.SIGTERM)
    wait_until(lambda: "waiting for 1 running tasks" in worker.log)
    fleet.open_gate("door")

    assert worker.wait() == 0, worker.log
    assert outcomes(db, task) == ["completed"], worker.log


SIGNALLED = """
import os, signal, sys
from tenuto.cli.main import main

def signalled():
    os.kill(os.getpid(), signal.SIGTERM)
    for _ in range(10):
        pass

class InDel:
    def __del__(self):
        signalled()

class InSetName:
    def __set_name__(self, owner, name):
        signalled()

class Importing:
    def find_spec(self, name, *_):
        if name == "tenuto.cli.root":
            %s

sys.meta_path.insert(0, Importing())
main()
"""


def start_signalled(database: str, folder: Path, moment: str) -> subprocess.CompletedProcess[str]:
    """Run a worker that gets SIGTERM from a statement in the middle of an import."""
    environment = {**os.environ, "TENUTO_DATABASE_URL": database, "TENUTO_HOME": str(folder)}
    command = [sys.executable, "-c", SIGNALLED % moment, "worker", "tests.journeys.apps.plain:app"]
    return subprocess.run(command, env=environment, timeout=120, capture_output=True, text=True, check=False)


def test_a_signal_whose_exception_python_ignores_is_not_lost(database: str, tmp_path: Path):
    done = start_signalled(database, tmp_path, "InDel()")

    assert "Exception ignored in: <function InDel.__del__" in done.stderr
    assert done.returncode == 0, done.stderr


def test_a_signal_whose_exception_python_replaces_is_a_clean_exit(database: str, tmp_path: Path):
    done = start_signalled(database, tmp_path, "type('Owner', (), {'name': InSetName()})")

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.soak
def test_a_signal_at_each_of_many_moments_of_the_start_is_a_clean_exit(fleet: Fleet):
    stop_at_random_moments(fleet, 100)


def test_a_child_that_had_worked_is_replaced_at_once_however_often_it_dies(db: Db, fleet: Fleet):
    worker = fleet.start("plain")
    for life in range(3):
        start_tasks(db, "plain.note", [f"life {life}"])
        wait_for(db, completed=life + 1)
        (child,) = worker.children()
        child.kill()
        wait_until(lambda goal=life + 1: worker.log.count("another starts now") == goal)

    assert "another starts in" not in worker.log
