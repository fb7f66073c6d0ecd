"""A part that dies is loud: it ends its process with the error, or is started again."""

import signal
from pathlib import Path

import psutil
import pytest

from tests.support.processes.command_line import ROOT, Running, running_from_start, tenuto
from tests.support.waiting import wait_until

APP = "tests.support.processes.shop:app"
PEPPER = "cGVwcGVycGVwcGVycGVwcGVycGVwcGVycGVwcGVycGVwcGVy"


@pytest.fixture
def poisonable(database: str, tmp_path: Path) -> dict[str, str | Path]:
    """The environment of a process whose parts can be killed one by one."""
    folder = ROOT / "tests" / "support" / "faults" / "kill_on_signal"
    return {"TENUTO_DATABASE_URL": database, "PYTHONPATH": folder, "POISON": tmp_path / "part", "TENUTO_PEPPER": PEPPER}


def kill_part(name: str, pid: int, tmp_path: Path) -> None:
    (tmp_path / "part").write_text(f"tenuto {name}")
    psutil.Process(pid).send_signal(signal.SIGUSR1)


def child_of(worker: Running) -> int:
    (child,) = psutil.Process(worker.process.pid).children()
    return child.pid


@pytest.mark.parametrize(
    ("arguments", "ready", "part"),
    [
        (("worker", APP), "tasks at once", "dispatcher"),
        (("dispatcher",), "dispatcher running", "dispatcher"),
        (("up", "--port", "0"), "Ctrl-C to stop everything", "HTTP server"),
    ],
)
def test_a_process_whose_part_dies_ends_with_its_error(poisonable, tmp_path, arguments, ready, part):
    with running_from_start(*arguments, ready=ready, **poisonable) as command:
        kill_part(part, command.process.pid, tmp_path)

        assert command.process.wait(60) == 1
        assert f"CRITICAL tenuto the {part} died of CancelledError: it was cancelled by other code" in command.said()
        assert f"\ntenuto: the {part} died of CancelledError: it was cancelled by other code\n" in command.said()


def test_a_process_with_tasks_whose_part_dies_is_followed_by_another(poisonable, tmp_path):
    def work() -> str:
        where = poisonable["TENUTO_DATABASE_URL"]
        return tenuto("start", "shop.add", "20", "22", "--wait", TENUTO_DATABASE_URL=where).stdout

    with running_from_start("worker", APP, "--lease", "3s", ready="tasks at once", **poisonable) as worker:
        for part in ("claimer", "control", "reporter", "heartbeat"):
            assert work() == "42\n"
            child = child_of(worker)
            kill_part(part, worker.process.pid if part == "heartbeat" else child, tmp_path)
            wait_until(lambda child=child: not psutil.pid_exists(child))

            assert f"the {part} died of" in worker.said()
        assert work() == "42\n"
        assert worker.stop() == 0


def test_a_pepper_that_cannot_be_read_is_one_line_before_anything_starts(made_home: Path):
    (made_home / "pepper").mkdir()
    refused = tenuto("worker", APP, TENUTO_HOME=made_home)

    assert refused.returncode == 2
    assert refused.stderr.endswith("make TENUTO_HOME a folder that you can write, or set TENUTO_PEPPER\n")
    assert "Traceback" not in refused.stderr
