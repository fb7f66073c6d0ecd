"""Scratch folders: gone after use, and after the process that used them was killed."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from tenuto.storage.scratch import MIN_AGE_SECONDS, PREFIX, remove_abandoned, scratch_folder

HOLD = """
from tenuto.storage.scratch import scratch_folder
with scratch_folder() as folder:
    (folder / "data").write_text("rows")
    print(folder, flush=True)
    input()
"""


@pytest.fixture(autouse=True)
def folder_of_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def aged(folder: Path) -> Path:
    then = time.time() - 2 * MIN_AGE_SECONDS
    os.utime(folder, (then, then))
    return folder


def holder(folder_of_all: Path) -> tuple[subprocess.Popen[str], Path]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(folder_of_all)},
    )
    assert process.stdout
    return process, aged(Path(process.stdout.readline().strip()))


def test_a_folder_is_removed_with_what_is_in_it() -> None:
    with scratch_folder() as folder:
        (folder / "locked").mkdir()
        (folder / "locked" / "file").touch()
        (folder / "locked").chmod(0)

    assert not folder.exists()


def test_the_folder_of_a_killed_process_is_removed_and_not_before(folder_of_all: Path) -> None:
    process, folder = holder(folder_of_all)
    with process:
        remove_abandoned()
        assert (folder / "data").exists()

        process.send_signal(signal.SIGKILL)
        process.wait()
        remove_abandoned()

    assert not folder.exists()


def test_young_folders_links_and_others_stay(folder_of_all: Path) -> None:
    (young := folder_of_all / f"{PREFIX}young").mkdir()
    (other := folder_of_all / "other").mkdir()
    (link := folder_of_all / f"{PREFIX}link").symlink_to(aged(other))

    remove_abandoned()

    assert young.exists()
    assert link.is_symlink()
    assert other.exists()


def test_a_folder_that_cannot_be_removed_stops_no_other_and_keeps_the_folder_above_as_it_is(
    folder_of_all: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    folder_of_all.chmod(0o755)
    first, second = (aged(folder_of_all / f"{PREFIX}{name}") for name in made(folder_of_all, "a", "b"))
    remove = os.rmdir

    def fail(path: str, *args: object, **options: object) -> None:
        if Path(path).name == first.name:
            raise OSError("in use")
        remove(path, *args, **options)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(os, "rmdir", fail)
    remove_abandoned()

    assert (first.exists(), second.exists()) == (True, False)
    assert str(first) in caplog.text
    assert folder_of_all.stat().st_mode & 0o777 == 0o755


def made(above: Path, *names: str) -> tuple[str, ...]:
    for name in names:
        (above / f"{PREFIX}{name}").mkdir()
    return names
