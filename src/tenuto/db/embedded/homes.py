"""Lists the homes of the account's projects. Each has a file that names the folder of its project."""

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tenuto.db.embedded.paths import PROJECT_FILE, is_home
from tenuto.db.embedded.postmaster import running_pid

TESTING = "testing"  # the home of the server for tests, in the home of the project
BLOCK_BYTES = 512  # the unit of st_blocks


@dataclass(frozen=True)
class Home:
    """A home in the data folder. `project`: the folder whose home it is; None if several projects share it by name.
    `gone`: there is no such folder any more."""

    home: Path
    project: Path | None
    gone: bool
    running: bool


def list_homes(data_folder: Path) -> list[Home]:
    """Return the homes in the data folder, by name."""
    try:
        folders = sorted(folder for folder in data_folder.iterdir() if is_home(folder))
    except OSError:  # there is none, or it belongs to another account
        return []
    return [_read(folder) for folder in folders]


def running_elsewhere(data_folder: Path, own: Path) -> list[Path]:
    """Return the folders of the projects whose embedded servers run, apart from that of this home."""
    homes = (home for home in list_homes(data_folder) if home.home != own)
    return [home.project or home.home for home in homes if running_pid(_data(home.home)) is not None]


def size_of(home: Path) -> int:
    """Return how many bytes the files of a home take on disk, wherever its data is."""
    folders = {home.resolve(), _data(home), _data(home / TESTING)}
    own = [folder for folder in folders if not any(other in folder.parents for other in folders)]
    return sum(_file_sizes(own))


def _file_sizes(folders: list[Path]) -> Iterator[int]:
    for top in folders:
        for folder, _, names in os.walk(top):
            for name in names:
                with suppress(OSError):  # deleted in the meantime
                    yield Path(folder, name).lstat().st_blocks * BLOCK_BYTES


def _read(home: Path) -> Home:
    project = _project_of(home) or _project_of(home / TESTING)
    running = any(running_pid(_data(place)) is not None for place in (home, home / TESTING))
    return Home(home, project, project is not None and _is_gone(project), running)


def _is_gone(folder: Path) -> bool:
    try:
        folder.stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:  # this account may not enter a folder above it
        return False
    return False


def _project_of(home: Path) -> Path | None:
    try:
        return Path(os.fsdecode((home / PROJECT_FILE).read_bytes().removesuffix(b"\n")))
    except OSError:
        return None


def _data(home: Path) -> Path:
    return (home / "data").resolve()
