"""Where the embedded server keeps its files, and the small files that remember how to reach it."""

import itertools
import os
import secrets
import shutil
import socket
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from tenuto.db.connection.errors import ServerFailed
from tenuto.db.embedded.os_account import OsAccount, choose_account

HOST = "127.0.0.1"
USER = "postgres"  # not "tenuto": that would put the schema of this name on the search path and hide mistakes
DATABASE = "tenuto"

# Used only by root, for homes (such as one below /root) that the server's user may not enter.
ROOT_SERVER_FOLDER = Path("/var/lib/tenuto")

# Below what Linux and macOS hand to outgoing connections, so that a stopped server's port stays free.
FIRST_PORT, LAST_PORT = 20_000, 31_999


@dataclass(frozen=True)
class ServerPaths:
    """Where one embedded server is kept: `home` has the small files, `folder` what the server's user must reach."""

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
    def major(self) -> int | None:
        """The major version the data belongs to, or None before there is any."""
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
        _write_secret(self.password, password)
        return password

    def settle_port(self) -> int:
        """The port of last time, or another one if another program has taken it meanwhile."""
        port = self.port
        while port is None or not _is_free(port):
            port = FIRST_PORT + secrets.randbelow(LAST_PORT - FIRST_PORT + 1)
        if port != self.port:
            _write_secret(self.home / "port", str(port))
        return port


def find_paths(home: Path) -> ServerPaths:
    """Where the files of `home` are or would be, making nothing."""
    home = home.expanduser().resolve()  # the process table is searched for this very path
    data = home / "data"
    account = choose_account(data)
    if data.is_symlink():
        return ServerPaths(home, data.resolve().parent, account)
    if not account.dropped or _can_enter(account, home):
        return ServerPaths(home, home, account)
    if data.exists():
        # Starting with an empty folder elsewhere would look like losing everything.
        raise ServerFailed(f"the data in {home} belongs to user {account.name}, who may not enter {home}; let it in")
    other = _other_folder(home)
    return ServerPaths(home, other, choose_account(other / "data"))


def make_home(home: Path) -> Path:
    """Make the home if it is missing, for its owner alone. Where the server runs as another user in it, that user's
    group may pass through it, but not list it. No folder that exists is touched."""
    home = home.expanduser().resolve()
    account = choose_account(home / "data")
    shared = account.dropped and _can_enter(account, home)
    for folder in _missing(home):
        folder.mkdir(mode=0o711 if shared else 0o700, exist_ok=True)
        folder.chmod(0o711 if shared else 0o700)
        if shared and folder == home:
            os.chown(folder, -1, account.gid)
            folder.chmod(0o710)
    return home


def make_paths(home: Path) -> ServerPaths:
    """The place of a home that exists; a folder elsewhere is made and linked to. The caller holds the lock."""
    place = find_paths(home)
    if place.folder == place.home:
        return place
    link = place.home / "data"
    if not link.is_symlink():
        for folder in _missing(place.folder):
            folder.mkdir(exist_ok=True)
            folder.chmod(0o711)
        for name in ("password", "port"):  # earlier versions kept them beside the data
            if (place.folder / name).exists():
                shutil.move(place.folder / name, place.home / name)
        link.symlink_to(place.data)
    elif not place.folder.exists():
        raise ServerFailed(
            f"the data of {place.home} was in {place.folder}, which is gone; "
            f"remove {link} to start with an empty database"
        )
    return place


def _can_enter(account: OsAccount, home: Path) -> bool:
    return account.can("-x", next(folder for folder in [home, *home.parents] if folder.exists()))


def _missing(folder: Path) -> list[Path]:
    """Of this folder and its parents those that do not exist, outermost first."""
    return [one for one in [folder, *folder.parents] if not one.exists()][::-1]


def _other_folder(home: Path) -> Path:
    """A new folder for root; the data of a home that was removed is left alone, and no password for it is known."""
    name = sha256(str(home).encode()).hexdigest()[:16]
    names = itertools.chain([name], (f"{name}-{no}" for no in itertools.count(2)))
    folders = (ROOT_SERVER_FOLDER / name for name in names)
    return next(folder for folder in folders if not folder.exists() or (folder / "password").exists())


def _write_secret(path: Path, text: str) -> None:
    """Replace the file in one step: a reader sees the old text or the new one."""
    temporary = path.with_suffix(".tmp")
    temporary.unlink(missing_ok=True)
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(text + "\n")
        file.flush()
        os.fsync(file.fileno())
    if os.geteuid() == 0:  # root may be looking after somebody else's home
        owner = path.parent.stat()
        os.chown(temporary, owner.st_uid, owner.st_gid)
    temporary.rename(path)


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        # As Postgres does: connections of the last server that are still closing do not count.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
        return True
