"""What a sandbox cannot see: the worker's secrets, its files, other processes. Each probe succeeds outside."""

from pathlib import Path

import pytest

from tests.support.sandbox import escapes
from tests.support.sandbox.worker import SCRATCH, SandboxWorker


def test_the_environment_is_empty_but_for_four_plain_words(sandbox: SandboxWorker) -> None:
    assert sandbox.outside("environ")["CANARY"] == "canary of the environment"

    found = sandbox.inside("environ").output

    assert sorted(found) == ["HOME", "LANG", "PATH", "TMPDIR"]


def test_it_runs_as_a_user_of_its_own_without_groups_rights_or_the_way_to_any(sandbox: SandboxWorker) -> None:
    assert sandbox.outside("who")["uid"] == 0

    found = sandbox.inside("who").output

    assert 60_706 <= found["uid"] <= 61_183
    assert (found["groups"], found["cwd"]) == ([], SCRATCH)
    assert (int(found["CapEff"], 16), int(found["CapBnd"], 16), found["NoNewPrivs"], found["Seccomp"]) == (
        0,
        0,
        "1",
        "2",
    )


@pytest.mark.parametrize("what", ["environ", "cmdline", "maps", "status"])
def test_the_worker_cannot_be_read_through_proc(sandbox: SandboxWorker, what: str) -> None:
    assert "FileNotFoundError" in sandbox.assert_blocked("read", f"/proc/{sandbox.pid}/{what}")


def test_the_database_url_is_in_the_worker_and_nowhere_in_the_sandbox(sandbox: SandboxWorker) -> None:
    assert "TENUTO_DATABASE_URL=postgresql" in sandbox.outside("read", f"/proc/{sandbox.pid}/environ")

    for own in ("/proc/self/environ", "/proc/self/cmdline", "/proc/1/environ", "/proc/1/cmdline"):
        assert "postgres" not in str(sandbox.inside("read", own).output)


def test_the_memory_of_the_worker_cannot_be_read(sandbox: SandboxWorker) -> None:
    sandbox.assert_blocked("peek", sandbox.pid)


def test_the_open_files_of_the_worker_cannot_be_listed(sandbox: SandboxWorker) -> None:
    sandbox.assert_blocked("names_in", f"/proc/{sandbox.pid}/fd")


def test_no_open_file_of_the_worker_comes_along(sandbox: SandboxWorker) -> None:
    def files(things: list[str]) -> list[str]:
        return [one for one in things if one.startswith("/") and one != "/dev/null" and not one.startswith("/proc/")]

    assert files(sandbox.outside("open_things")) != []
    assert files(sandbox.inside("open_things").output) == []


def test_no_process_but_its_own_can_be_seen(sandbox: SandboxWorker) -> None:
    assert sandbox.pid in sandbox.outside("processes")
    assert sandbox.inside("processes").output == [2]


def test_the_home_of_the_worker_with_pepper_and_keys_is_not_there(sandbox: SandboxWorker) -> None:
    assert "FileNotFoundError" in sandbox.assert_blocked("read", str(sandbox.home / "pepper"))


def test_a_link_in_its_folder_leads_nowhere_else(sandbox: SandboxWorker) -> None:
    assert "FileNotFoundError" in sandbox.assert_blocked("read_by_link", str(sandbox.home / "pepper"))


@pytest.mark.parametrize("path", ["/etc/shadow", "/etc/hostname", "/root/.bashrc", "/var/lib/dpkg/status"])
def test_files_of_the_machine_that_no_program_needs_are_not_there(sandbox: SandboxWorker, path: str) -> None:
    if not Path(path).exists():  # which file there is depends on the machine; that there is one does not
        path = "/proc/1/environ"
    sandbox.assert_blocked("read", path)


def test_of_the_apps_folder_only_its_own_modules_are_there(sandbox: SandboxWorker) -> None:
    root = Path(escapes.__file__).parents[3]
    assert "README.md" in sandbox.outside("names_in", str(root))

    assert set(sandbox.inside("names_in", str(root)).output) <= {".venv", "src", "tests"}


def test_the_code_of_the_app_can_be_read_and_not_changed(sandbox: SandboxWorker) -> None:
    sandbox.assert_blocked("append_nothing", escapes.__file__)
    assert "Ways out of a sandbox" in sandbox.inside("read", escapes.__file__).output


def test_a_folder_that_everybody_may_write_to_is_not_there(sandbox: SandboxWorker, tmp_path: Path) -> None:
    tmp_path.chmod(0o777)

    sandbox.assert_blocked("write", str(tmp_path / "here"), "something")


@pytest.mark.parametrize("path", ["/usr/bin", "/", "/etc", "/dev", "/etc/passwd", "/proc/sys/kernel/hostname"])
def test_the_system_cannot_be_written(sandbox: SandboxWorker, path: str) -> None:
    sandbox.assert_blocked("may_write", path)

    assert sandbox.inside("write", f"{path}/planted", "x").status == "failed"
