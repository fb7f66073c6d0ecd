"""What a sandbox cannot see: the worker's secrets, its files, other processes. Each probe succeeds outside."""

from pathlib import Path

import pytest

from tests.support import deeds
from tests.support.prison import SCRATCH, Prison


def test_the_environment_is_empty_but_for_four_plain_words(prison: Prison) -> None:
    assert prison.outside("environ")["CANARY"] == "canary of the environment"

    found = prison.inside("environ").output

    assert sorted(found) == ["HOME", "LANG", "PATH", "TMPDIR"]


def test_it_runs_as_a_user_of_its_own_without_groups_rights_or_the_way_to_any(prison: Prison) -> None:
    assert prison.outside("who")["uid"] == 0

    found = prison.inside("who").output

    assert 60_706 <= found["uid"] <= 61_183
    assert (found["groups"], found["cwd"]) == ([], SCRATCH)
    assert (int(found["CapEff"], 16), int(found["CapBnd"], 16), found["NoNewPrivs"], found["Seccomp"]) == (
        0,
        0,
        "1",
        "2",
    )


@pytest.mark.parametrize("what", ["environ", "cmdline", "maps", "status"])
def test_the_worker_cannot_be_read_through_proc(prison: Prison, what: str) -> None:
    assert "FileNotFoundError" in prison.is_kept_from("read", f"/proc/{prison.pid}/{what}")


def test_the_database_url_is_in_the_worker_and_nowhere_in_the_sandbox(prison: Prison) -> None:
    assert "TENUTO_DATABASE_URL=postgresql" in prison.outside("read", f"/proc/{prison.pid}/environ")

    for own in ("/proc/self/environ", "/proc/self/cmdline", "/proc/1/environ", "/proc/1/cmdline"):
        assert "postgres" not in str(prison.inside("read", own).output)


def test_the_memory_of_the_worker_cannot_be_read(prison: Prison) -> None:
    prison.is_kept_from("peek", prison.pid)


def test_the_open_files_of_the_worker_cannot_be_listed(prison: Prison) -> None:
    prison.is_kept_from("names_in", f"/proc/{prison.pid}/fd")


def test_no_open_file_of_the_worker_comes_along(prison: Prison) -> None:
    def files(things: list[str]) -> list[str]:
        return [one for one in things if one.startswith("/") and one != "/dev/null" and not one.startswith("/proc/")]

    assert files(prison.outside("open_things")) != []
    assert files(prison.inside("open_things").output) == []


def test_no_process_but_its_own_can_be_seen(prison: Prison) -> None:
    assert prison.pid in prison.outside("processes")
    assert prison.inside("processes").output == [2]


def test_the_home_of_the_worker_with_pepper_and_keys_is_not_there(prison: Prison) -> None:
    assert "FileNotFoundError" in prison.is_kept_from("read", str(prison.home / "pepper"))


def test_a_link_in_its_folder_leads_nowhere_else(prison: Prison) -> None:
    assert "FileNotFoundError" in prison.is_kept_from("read_by_link", str(prison.home / "pepper"))


@pytest.mark.parametrize("path", ["/etc/shadow", "/etc/hostname", "/root/.bashrc", "/var/lib/dpkg/status"])
def test_files_of_the_machine_that_no_program_needs_are_not_there(prison: Prison, path: str) -> None:
    if not Path(path).exists():  # which file there is depends on the machine; that there is one does not
        path = "/proc/1/environ"
    prison.is_kept_from("read", path)


def test_of_the_apps_folder_only_its_own_modules_are_there(prison: Prison) -> None:
    root = Path(deeds.__file__).parents[2]
    assert "README.md" in prison.outside("names_in", str(root))

    assert set(prison.inside("names_in", str(root)).output) <= {".venv", "src", "tests"}


def test_the_code_of_the_app_can_be_read_and_not_changed(prison: Prison) -> None:
    prison.is_kept_from("append_nothing", deeds.__file__)
    assert "What code might try" in prison.inside("read", deeds.__file__).output


def test_a_folder_that_everybody_may_write_to_is_not_there(prison: Prison, tmp_path: Path) -> None:
    tmp_path.chmod(0o777)

    prison.is_kept_from("write", str(tmp_path / "here"), "something")


@pytest.mark.parametrize("path", ["/usr/bin", "/", "/etc", "/dev", "/etc/passwd", "/proc/sys/kernel/hostname"])
def test_the_system_cannot_be_written(prison: Prison, path: str) -> None:
    prison.is_kept_from("may_write", path)

    assert prison.inside("write", f"{path}/planted", "x").status == "failed"
