"""Temporary folders of this machine, each for one attempt or query. A process that is killed leaves its folders behind;
the next process that needs a folder removes them."""

import fcntl
import logging
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from threading import Thread

PREFIX = "tenuto-scratch-"
MIN_AGE_SECONDS = 60.0  # a younger folder may not be locked yet

_logger = logging.getLogger("tenuto.scratch")


@contextmanager
def scratch_folder() -> Generator[Path]:
    """Yield an empty folder; after the block, remove it with its content. The folder is locked until then, or until
    this process ends."""
    _remove_abandoned_once()
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield folder
    finally:
        _remove(folder)
        os.close(lock)


@cache
def _remove_abandoned_once() -> None:
    Thread(target=remove_abandoned, name="remove scratch folders", daemon=True).start()


def remove_abandoned() -> None:
    """Remove the folders of processes that were killed. These are the folders that no process has locked and that are
    older than MIN_AGE_SECONDS."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        try:
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:
            continue  # removed in the meantime, or of another user
        try:
            if time.time() - os.fstat(lock).st_mtime < MIN_AGE_SECONDS:
                continue
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            continue  # in use
        else:
            _remove(folder)
            if folder.exists():
                _logger.warning("cannot remove the folder %s of a process that was killed", folder)
        finally:
            os.close(lock)


def _remove(folder: Path) -> None:
    def open_up(function: Callable[[str], object], path: str, _: object) -> None:
        """Change the permissions after a removal has failed, and remove again. The permissions of folders above
        `folder`, or of folders to which a link points, are never changed."""
        for place in (Path(path).parent, Path(path)):
            if place.is_relative_to(folder) and place.is_dir() and not place.is_symlink():
                place.chmod(0o700)
        if function in (os.unlink, os.rmdir):
            function(path)
        else:
            shutil.rmtree(path, ignore_errors=True)

    with suppress(OSError):
        shutil.rmtree(folder, onerror=open_up)
