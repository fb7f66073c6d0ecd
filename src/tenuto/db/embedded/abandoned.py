"""Finds data of embedded servers whose home folders were deleted. Only root can have such data, because only servers of
root store their data outside of the home. It is not deleted here, because the home may be on a disk that is not mounted
now."""

import os
import re
from pathlib import Path

from tenuto.db.embedded.paths import HOME_FILE, ROOT_SERVER_FOLDER
from tenuto.db.embedded.postmaster import running_pid

_NAME = re.compile(r"[0-9a-f]{16}(-[0-9]+)?")


def list_abandoned(root: Path = ROOT_SERVER_FOLDER) -> list[Path]:
    """Return the folders in which no server runs and whose home does not exist any more or uses another folder. Folders
    without the path of their home are omitted."""
    try:
        folders = sorted(folder for folder in root.iterdir() if _NAME.fullmatch(folder.name))
    except OSError:  # the folder does not exist, or belongs to another user
        return []
    return [folder for folder in folders if _is_abandoned(folder)]


def _is_abandoned(folder: Path) -> bool:
    try:
        if running_pid(folder / "data") is not None:
            return False
        home = Path(os.fsdecode((folder / HOME_FILE).read_bytes().removesuffix(b"\n")))
        link = home / "data"
        return home.is_absolute() and (not link.is_symlink() or link.readlink() != folder / "data")
    except (OSError, ValueError):  # there is no such file, or it contains no path
        return False
