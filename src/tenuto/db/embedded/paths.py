"""The files of the embedded server: its data, log, password and port."""

import itertools
import os
import pwd
import secrets
import socket
import stat
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from tenuto.db.connection.errors import NoHome, ServerFailed
from tenuto.db.embedded.os_account import OsAccount, choose_account

HOST = "127.0.0.1"
USER = "postgres"  # not "tenuto": the schema of that name would be on the search path and hide errors
DATABASE = "tenuto"

# Used by root only, for home folders that the server's user cannot enter, such as a folder in /root.
ROOT_SERVER_FOLDER = Path("/var/lib/tenuto")
HOME_FILE = "home"  # the file in such a folder that contains the path of its home
PROJECT_FILE = "project"  # the file in a home that contains the path of the folder whose home it is

# These ports are below the range that Linux and macOS use for outgoing connections, so that the port of a stopped
# server stays free.
FIRST_PORT, LAST_PORT = 20_000, 31_999

# Files that only a home folder contains. Which of them is created first depends on the command.
MARKS = ("lock", "password", "pepper", "objects", "bundles", "testing")
NO_CONTENT = {".gitignore", "lost+found", "init.tmp"}
OLD = "old-"  # a folder in the home whose name begins like this is the home of an earlier database
MOVING = "moving"  # the file that names this folder while the database is moved into it
NOT_OF_THE_DATABASE = {"lock", "users", "testing", PROJECT_FILE, MOVING, *NO_CONTENT}
INSIDE = {"data", "objects", "bundles", "testing"}  # folders that a home has


@dataclass(frozen=True)
class ServerPaths:
    """The folders of one embedded server. `home` has the password, the port and the log; `folder` has the files
    that the server's user must access."""

    home: Path
    folder: Path
    account: OsAccount

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def log(self) -> Path:
        return self.home / "server.log"

    @property
    def password(self) -> Path:
        return self.home / "password"

    @property
    def stopped(self) -> Path:
        """This file exists after Tenuto has stopped the server, until it is started again."""
        return self.home / "stopped"

    @property
    def failures(self) -> Path:
        return self.home / "failures"

    @property
    def major(self) -> int | None:
        """The major version of the data, or None if there is no data yet."""
        version = self.data / "PG_VERSION"
        return int(version.read_text().split(".")[0]) if version.exists() else None

    @property
    def port(self) -> int | None:
        file = self.home / "port"
        return int(file.read_text()) if file.exists() else None

    def url(self, database: str = DATABASE) -> str:
        return f"postgresql://{USER}:{self.password.read_text().strip()}@{HOST}:{self.port}/{database}"

    def new_password(self) -> str:
        password = secrets.token_urlsafe(24)
        write_private(self.password, password)
        return password

    def settle_port(self, *, in_use: bool) -> int:
        """Return the previous port. If there is none, or another program uses it now, choose and store a new port.
        Raises ServerFailed instead of a new port if the server is in use: its users have the previous one."""
        port = self.port
        if in_use and port is not None and not _is_free(port):
            raise ServerFailed(
                f"another program listens on port {port}, which is the port of the embedded server in {self.home}; "
                "end that program, or stop the processes of Tenuto and start them again with another port"
            )
        while port is None or not _is_free(port):
            port = FIRST_PORT + secrets.randbelow(LAST_PORT - FIRST_PORT + 1)
        if port != self.port:
            write_private(self.home / "port", str(port))
        return port


def find_paths(home: Path) -> ServerPaths:
    """Return the paths for `home` without creating anything."""
    home = home.expanduser().resolve()  # must be exact, because the process table is searched for this path
    _check_owner(home)
    data = home / "data"
    account = choose_account(data)
    if data.is_symlink():
        return ServerPaths(home, data.resolve().parent, account)
    if not account.dropped or _can_enter(account, home):
        return ServerPaths(home, home, account)
    if data.exists():
        # Raise an error here: a server with an empty folder elsewhere would look like data loss.
        raise ServerFailed(
            f"the data in {home} belongs to user {account.name}, who cannot enter {home}; give that user access"
        )
    other = _other_folder(home)
    return ServerPaths(home, other, choose_account(other / "data"))


def is_home(folder: Path) -> bool:
    """Returns whether Tenuto has created files in the folder."""
    return any((folder / name).exists() for name in MARKS)


def make_home(home: Path) -> Path:
    """Creates the home folder if it is missing, accessible only to its owner. If the server runs there as another user,
    that user's group can enter the folder but not list it. Existing folders are not changed. Raises NoHome for a folder
    with other content."""
    home = home.expanduser().resolve()
    _check_owner(home)
    _check_home(home)
    account = choose_account(home / "data")
    shared = account.dropped and _can_enter(account, home)
    for folder in _missing(home):
        folder.mkdir(mode=0o711 if shared else 0o700, exist_ok=True)
        folder.chmod(0o711 if shared else 0o700)
        if shared and folder == home:
            os.chown(folder, -1, account.gid)
            folder.chmod(0o710)
        if folder == home:
            (home / ".gitignore").write_text("*\n")  # the home may be inside a project
    return home


def make_paths(home: Path) -> ServerPaths:
    """Return the paths of an existing home folder. If the server needs a separate folder, creates it and a link to it.
    The caller must hold the lock."""
    place = find_paths(home)
    if place.folder == place.home:
        return place
    link = place.home / "data"
    if not link.is_symlink():
        for folder in _missing(place.folder):
            folder.mkdir(exist_ok=True)
            folder.chmod(0o711)
        link.symlink_to(place.data)
    elif not place.folder.exists():
        raise ServerFailed(
            f"the data of {place.home} was in {place.folder}, which no longer exists; "
            f"remove {link} to start with an empty database"
        )
    write_path(place.folder / HOME_FILE, place.home)
    return place


def set_aside(place: ServerPaths) -> Path:
    """Moves what belongs to the database of a home into a new folder inside the home, which becomes a home of its own.
    The locks stay, so that processes that wait for them create a new database. The server must be stopped, and the
    caller must hold the lock."""
    home = place.home.stat()
    folder = place.home / f"{OLD}{datetime.now(UTC):%Y%m%d-%H%M%S}"
    folder.mkdir(mode=0o700)
    os.chown(folder, home.st_uid, home.st_gid)
    folder.chmod(stat.S_IMODE(home.st_mode))
    write_path(place.home / MOVING, folder)
    finish_move(place.home)
    return folder


def finish_move(home: Path) -> None:
    """Moves what `set_aside` has not moved yet: the process that called it may have been killed. The caller must hold
    the lock."""
    try:
        folder = Path(os.fsdecode((home / MOVING).read_bytes().removesuffix(b"\n")))
    except FileNotFoundError:
        return
    data = home / "data" if (home / "data").is_symlink() else folder / "data"
    if data.is_symlink():  # the data is elsewhere, where root's server can enter
        write_path(data.readlink().parent / HOME_FILE, folder)
    for path in home.iterdir():
        if path.name not in NOT_OF_THE_DATABASE and not path.name.startswith(OLD):
            path.rename(folder / path.name)
    (home / MOVING).unlink()


def check_no_homes_inside(home: Path) -> None:
    """Raises NoHome if homes of projects are in this one, as in the folder of all data of the account: to set its
    database aside would move theirs."""
    for path in home.iterdir():
        if path.name not in INSIDE and not path.name.startswith(OLD) and is_home(path):
            raise NoHome(
                f"the database of {home} cannot be set aside, because the home {path.name} is in this folder; set "
                "TENUTO_HOME to the home whose database you mean"
            )


def write_path(file: Path, path: Path) -> None:
    """Writes the path to the file, unless the file has it already: a home may be new, or was moved."""
    text = os.fsencode(path) + b"\n"
    if not file.exists() or file.read_bytes() != text:
        file.write_bytes(text)


def _check_owner(home: Path) -> None:
    """Raises NoHome for a home of another account. The files in it decide which commands its server runs. Root may use
    every home, and everybody one of root, such as a volume."""
    try:
        owner = home.stat().st_uid
    except FileNotFoundError:
        return
    if os.geteuid() in (owner, 0) or owner == 0:
        return
    try:
        name = pwd.getpwuid(owner).pw_name
    except KeyError:
        name = f"#{owner}"
    raise NoHome(
        f"{home} belongs to the account {name}: run this command as that account (sudo -u '{name}' …), or set "
        "TENUTO_HOME to a folder that you own"
    )


def _check_home(home: Path) -> None:
    """Raises NoHome for a folder that was probably set by mistake."""
    if home == home.parent:
        problem = "is the root of the file system"
    elif home.is_dir() and not is_home(home) and (found := sorted({path.name for path in home.iterdir()} - NO_CONTENT)):
        problem = f"contains other files, such as {found[0]}"
    else:
        return
    raise NoHome(f"{home} cannot be the home of Tenuto, because it {problem}; set TENUTO_HOME to a new or empty folder")


def _can_enter(account: OsAccount, home: Path) -> bool:
    return account.can("-x", next(folder for folder in [home, *home.parents] if folder.exists()))


def _missing(folder: Path) -> list[Path]:
    """Return this folder and its parents that do not exist, outermost first."""
    return [candidate for candidate in [folder, *folder.parents] if not candidate.exists()][::-1]


def _other_folder(home: Path) -> Path:
    """Return the folder for a server that root starts. If the home was deleted and created again, the folder of
    the earlier home is kept but not used: its password was deleted with that home."""
    name = sha256(str(home).encode()).hexdigest()[:16]
    names = itertools.chain([name], (f"{name}-{no}" for no in itertools.count(2)))
    folders = (ROOT_SERVER_FOLDER / name for name in names)
    return next(folder for folder in folders if not folder.exists() or (folder / "password").exists())


def write_private(path: Path, text: str) -> None:
    """Replaces the file atomically, so that a reader sees either the old or the new text. Only the owner of the home
    can read it."""
    temporary = path.with_suffix(".tmp")
    temporary.unlink(missing_ok=True)
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(text + "\n")
        file.flush()
        os.fsync(file.fileno())
    if os.geteuid() == 0:  # root may be managing another user's home
        owner = path.parent.stat()
        os.chown(temporary, owner.st_uid, owner.st_gid)
    temporary.rename(path)


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        # As in Postgres, connections of the previous server that are closing do not count.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
        return True
