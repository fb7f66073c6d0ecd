"""How much a sandbox can use, and how its end is told. Each probe succeeds outside."""

import signal
from pathlib import Path

import pytest

from tests.support.sandbox.worker import SCRATCH, SandboxWorker
from tests.support.waiting import wait_until

UNTIL_NOTICED = 60  # seconds: its worker ends it as soon as it notices


def test_a_fork_bomb_ends_at_its_number_of_processes(sandbox: SandboxWorker) -> None:
    assert sandbox.outside("fork_many", 150) == 150
    assert 10 < sandbox.inside("fork_many", 150).output < 64


def test_memory_is_bounded_and_the_error_names_it(sandbox: SandboxWorker) -> None:
    assert sandbox.outside("take_memory", 1500) == 1500

    end = sandbox.inside("take_memory", 1500)

    assert (end.status, end.error["type"]) == ("failed", "MemoryError")


def test_memory_of_all_processes_together_is_bounded(sandbox: SandboxWorker) -> None:
    assert sandbox.outside("take_memory_together", 3, 500) == 1500

    end = sandbox.inside("take_memory_together", 3, 500, 0, UNTIL_NOTICED, max_losses=1)

    assert end.error["type"] == "SandboxDied"
    assert "its processes together used more than 1024 MB of memory" in end.message
    wait_until(lambda: sandbox.processes_inside() == [])


def test_what_processes_share_counts_once(sandbox: SandboxWorker) -> None:
    assert sandbox.inside("take_memory_together", 5, 1, 300, 1).output == 305


def test_a_file_is_bounded(sandbox: SandboxWorker, tmp_path: Path) -> None:
    assert sandbox.outside("write_files", str(tmp_path), 1, 65) == 65

    assert "File too large" in sandbox.inside("write_files", SCRATCH, 1, 65).message


def test_everything_it_writes_is_bounded_together(sandbox: SandboxWorker, tmp_path: Path) -> None:
    assert sandbox.outside("write_files", str(tmp_path), 5, 60) == 300

    assert "No space left" in sandbox.inside("write_files", SCRATCH, 5, 60).message


def test_open_files_are_bounded(sandbox: SandboxWorker) -> None:
    assert "Too many open files" in sandbox.assert_blocked("open_files", 300)


def test_limits_cannot_be_raised(sandbox: SandboxWorker) -> None:
    assert "limit" in sandbox.assert_blocked("raise_limit")


def test_a_result_is_bounded(sandbox: SandboxWorker) -> None:
    assert "$object" in sandbox.outside("return_text", 20)

    end = sandbox.inside("return_text", 20)

    assert (end.status, end.error["type"]) == ("failed", "TooLarge")
    assert "more than the maximum of one message of a sandbox" in end.message


def test_a_result_of_several_megabytes_is_kept_as_ever(sandbox: SandboxWorker) -> None:
    assert "$object" in sandbox.inside("return_text", 3).output


def test_what_never_ends_is_ended_with_everything_it_started(sandbox: SandboxWorker) -> None:
    end = sandbox.inside("burn", timeout_seconds=1)

    assert (end.status, end.error["type"]) == ("failed", "Timeout")
    wait_until(lambda: sandbox.processes_inside() == [])


@pytest.mark.parametrize(
    ("probe", "number", "says"),
    [
        ("die", signal.SIGSEGV, "was killed by SIGSEGV; it has 1024 MB of memory"),
        ("die", signal.SIGKILL, "was killed by SIGKILL: most likely the machine was out of memory"),
        ("die", signal.SIGXCPU, "was ended by SIGXCPU: it used more than its 62 s of CPU time"),
        ("leave", 3, "exited with code 3 before its work ended"),
    ],
)
def test_a_sandbox_that_dies_is_a_loss_that_says_how(
    sandbox: SandboxWorker, probe: str, number: int, says: str
) -> None:
    task_id = sandbox.begin("inside", probe, [int(number)], max_losses=1)

    end = sandbox.end_of(task_id)

    assert end.error["type"] == "SandboxDied"
    assert says in end.message
    assert end.error["exit_code"] == (3 if probe == "leave" else -number)


def test_prints_and_logs_become_lines_of_the_attempt(sandbox: SandboxWorker) -> None:
    task_id = sandbox.begin("inside", "print", ["seen by people"])
    sandbox.end_of(task_id)

    asked = "select message from tenuto.task_logs where task_id = %s"
    wait_until(lambda: ("seen by people",) in sandbox.db.execute(asked, [task_id]).fetchall())
