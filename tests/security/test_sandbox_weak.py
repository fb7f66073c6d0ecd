"""A worker that is not root: it refuses untrusted code, or says what it cannot enforce. What it can is enforced."""

import os
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tenuto.runtimes.sandbox.capabilities import BEHIND_WALLS, OF_OWN_USER
from tests.support.postgres.server import fresh_database
from tests.support.sandbox.worker import UNPRIVILEGED, SandboxWorker, start_sandbox_worker
from tests.support.waiting import wait_until


@pytest.fixture(scope="module")
def weak(server: str, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SandboxWorker]:
    folder = tmp_path_factory.mktemp("weak")
    with (
        fresh_database(server, f"weak_{os.getpid()}", template) as url,
        start_sandbox_worker(url, folder, "--weak-sandbox", prefix=UNPRIVILEGED) as opened,
    ):
        yield opened


def test_without_root_a_worker_refuses_and_says_what_to_write(database: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError) as refusal, start_sandbox_worker(database, tmp_path, prefix=UNPRIVILEGED):
        pass

    assert "no full sandbox can be built on this machine (the process is not root)" in str(refusal.value)
    assert "start the process as root; a worker can also be started with --weak-sandbox" in str(refusal.value)


def test_root_without_the_right_to_make_namespaces_refuses_too(database: str, tmp_path: Path) -> None:
    confined = ["setpriv", "--bounding-set", "-sys_admin"]

    with pytest.raises(AssertionError) as refusal, start_sandbox_worker(database, tmp_path, prefix=confined):
        pass

    assert "sandbox can be built on this machine" in str(refusal.value)
    assert "ermi" in str(refusal.value)  # what was not permitted, or where permission was denied


def test_a_weak_sandbox_says_at_the_start_what_it_does_not_enforce(weak: SandboxWorker) -> None:
    assert "WEAK sandbox, no boundary against hostile code; on this machine" in weak.log
    assert [gap for gap in (*BEHIND_WALLS, *OF_OWN_USER) if gap not in weak.log] == []


def test_a_weak_sandbox_is_known_to_whoever_looks_at_the_worker(weak: SandboxWorker) -> None:
    found = weak.db.execute("select metadata ->> 'sandbox' from tenuto.workers").fetchone()

    assert found == ("weak",)


def test_the_environment_is_empty_there_too(weak: SandboxWorker) -> None:
    assert "CANARY" in weak.outside("environ")
    assert sorted(weak.inside("environ").output) == ["HOME", "LANG", "PATH", "TMPDIR"]


def test_the_environment_and_memory_of_the_worker_stay_its_own(weak: SandboxWorker) -> None:
    for what in ("environ", "fd/0"):
        assert weak.inside("read", f"/proc/{weak.pid}/{what}").error["type"] == "PermissionError"
    assert weak.inside("peek", weak.pid).status == "failed"


def test_processes_of_other_tasks_keep_to_themselves_too(weak: SandboxWorker) -> None:
    weak.outside("who")
    (pid,) = weak.running("tenuto.runtimes.process_child")

    assert "CANARY" in Path(f"/proc/{pid}/environ").read_text()
    assert weak.inside("read", f"/proc/{pid}/environ").error["type"] == "PermissionError"


def test_no_connection_can_be_made(weak: SandboxWorker) -> None:
    where = weak.db.info

    assert "not permitted" in weak.assert_blocked("connect", where.hostaddr or where.host, where.port)


def test_no_process_can_be_traced_and_no_world_made(weak: SandboxWorker) -> None:
    for probe in ("trace_child", "unshare_user"):
        assert "not permitted" in weak.inside(probe).message


def test_memory_and_open_files_are_bounded(weak: SandboxWorker) -> None:
    assert weak.inside("take_memory", 1500).error["type"] == "MemoryError"
    assert "Too many open files" in weak.assert_blocked("open_files", 300)


def test_its_folder_is_gone_afterwards_and_links_in_it_are_not_followed(weak: SandboxWorker, tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("kept")

    end = weak.inside("leave_link", str(tmp_path))

    assert Path(end.output).name.startswith("tenuto-scratch-")
    wait_until(lambda: not Path(end.output).exists())
    assert (tmp_path / "kept").read_text() == "kept"


def test_a_daemon_is_ended_with_its_attempt(weak: SandboxWorker) -> None:
    assert weak.inside("leave_daemon", "weak-daemon").status == "completed"

    assert [one.pid for one in psutil.process_iter(["cmdline"]) if "weak-daemon" in (one.info["cmdline"] or ())] == []


def test_what_never_ends_is_ended(weak: SandboxWorker) -> None:
    end = weak.inside("burn", timeout_seconds=1)

    assert end.error["type"] == "Timeout"
    wait_until(lambda: weak.running("tenuto.runtimes.sandbox.builder") == [])
