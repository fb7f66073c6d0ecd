"""Finds data of embedded servers whose homes were deleted. Only root has such data: it is outside of the homes. Nothing
here deletes it: a home may be on a disk that is not mounted right now."""

import re
from pathlib import Path

from tenuto.db.embedded.paths import HOME_FILE, ROOT_SERVER_FOLDER
from tenuto.db.embedded.postmaster import running_pid

_NAME = re.compile(r"[0-9a-f]{16}(-[0-9]+)?")


def list_abandoned(root: Path = ROOT_SERVER_FOLDER) -> list[Path]:
    """Return the folders in which no server runs, and whose homes do not exist any more, or use another folder. A
    folder that does not name its home is left out."""
    try:
        folders = sorted(folder for folder in root.iterdir() if _NAME.fullmatch(folder.name))
    except OSError:  # no such folder, or another user's
        return []
    return [folder for folder in folders if _is_abandoned(folder)]


def _is_abandoned(folder: Path) -> bool:
    try:
        if running_pid(folder / "data") is not None:
            return False
        link = Path((folder / HOME_FILE).read_text().rstrip("\n")) / "data"
        return not link.is_symlink() or link.readlink() != folder / "data"
    except (OSError, ValueError):  # no file, or one that names no home
        return False
