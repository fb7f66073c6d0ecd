"""The home of the demo: a folder with its own database, files and logs, which one demo uses at a time."""

import fcntl
import os
import pwd
from collections.abc import Generator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path

from tenuto.db.connection.errors import NoHome
from tenuto.db.embedded.paths import make_home
from tenuto.db.embedded.users_lock import locked

FOLDER = ".demo"
LEDGER = "ledger.txt"
MARK = "made-here"  # the file in each home of the demo that a copy of another folder cannot have


@contextmanager
def demo_home(folder: Path) -> Generator[Path]:
    """Create the home in this folder, or use that of an earlier demo, and lock it. Raises NoHome with what to do."""
    home = folder / FOLDER
    try:
        _check(home)
        make_home(home)
        with locked(home):
            (home / MARK).write_text(_mark(home))
            (home / LEDGER).touch()
        lock = os.open(home, os.O_RDONLY)
    except OSError as error:
        raise NoHome(
            f"the demo keeps its database in {home}, which cannot be used: {error.strerror} ({error.filename}); "
            f"run it in a folder in which you can create files"
        ) from error
    try:
        _lock(lock, home)
        yield home
    finally:
        os.close(lock)


def _lock(descriptor: int, home: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise NoHome(f"another demo uses {home}; stop it, or run this one in another folder") from None
    os.set_inheritable(descriptor, True)  # the dashboard of --keep replaces this process, and keeps the lock


def _check(home: Path) -> None:
    """Raises NoHome for a folder that no demo of this user has made here. The folder may be part of a cloned
    repository, and the files of a home decide which commands its server runs."""
    remedy = f"remove it (rm -r {FOLDER}) or run the demo in another folder"
    if not home.exists():
        return
    if not home.is_dir():
        raise NoHome(f"{home} is not a folder, and the demo keeps its database there; {remedy}")
    if (owner := home.stat().st_uid) != os.geteuid():
        raise NoHome(f"{home} belongs to {_name(owner)}; {remedy}")
    if any(home.iterdir()) and _read(home / MARK) != _mark(home):
        raise NoHome(f"{home} has files that no demo on this machine made; {remedy}")


def _mark(home: Path) -> str:
    """Return a text that only this folder on this machine has, and that the author of a repository cannot know."""
    found = home.stat()
    return sha256(f"{_read(Path('/etc/machine-id'))} {found.st_dev} {found.st_ino}".encode()).hexdigest()


def _read(file: Path) -> str:
    with suppress(OSError, ValueError):  # there is no such file, or it has other content
        return file.read_text()
    return ""


def _name(user: int) -> str:
    try:
        return f"user {pwd.getpwuid(user).pw_name}"
    except KeyError:
        return f"the user with id {user}"
