"""A process on this host is known to have ended, or counts as running."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tenuto.runtimes.local_processes import has_ended, process_id, this_host
from tests.support.waiting import wait_until

ENDLESS = [sys.executable, "-c", "import time; time.sleep(600)"]
PRINT_HOST = "from tenuto.runtimes.local_processes import this_host; print(this_host())"


@pytest.fixture
def other() -> Iterator["subprocess.Popen[bytes]"]:
    with subprocess.Popen(ENDLESS) as process:
        yield process
        process.kill()


def test_a_process_that_runs_has_not_ended(other: "subprocess.Popen[bytes]") -> None:
    assert not has_ended(process_id(os.getpid()))
    assert not has_ended(process_id(other.pid))


def test_a_killed_process_has_ended_before_and_after_its_parent_takes_note(other: "subprocess.Popen[bytes]") -> None:
    id = process_id(other.pid)

    other.kill()
    wait_until(lambda: has_ended(id))  # a zombie
    other.wait()

    assert has_ended(id)
    assert process_id(other.pid) is None


def test_another_process_with_the_same_number_is_not_the_same(other: "subprocess.Popen[bytes]") -> None:
    assert has_ended(f"{other.pid}:1")


@pytest.mark.parametrize("id", [None, 7, "", "7", "x:1", "1:x", ["1:1"], "../1:1", "9" * 30 + ":1"])
def test_what_is_no_id_counts_as_running(id: object) -> None:
    assert not has_ended(id)


def test_processes_of_one_host_agree_on_it_and_those_of_a_container_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    def host(*prefix: str) -> str:
        done = subprocess.run([*prefix, sys.executable, "-c", PRINT_HOST], capture_output=True, text=True, check=False)
        return done.stdout.strip()

    assert host() == this_host()
    if container := host("unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc"):
        assert container != this_host()
