"""Where the embedded server keeps its files, and the small files that remember how to reach it."""

import os
import secrets
import socket
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from tenuto.db.embedded.account import Account, choose_account
from tenuto.db.errors import ServerFailed

HOST = "127.0.0.1"
USER = "postgres"  # not "tenuto": that would put the schema of this name on the search path and hide mistakes
DATABASE = "tenuto"

# Used only by root, for homes (such as one below /root) that the server's user may not enter.
ROOTS_OTHER_PLACE = Path("/var/lib/tenuto")

# Below what Linux and macOS hand to outgoing connections, so that a stopped server's port stays free.
FIRST_PORT, LAST_PORT = 20_000, 31_999


@dataclass(frozen=True)
class Place:
    """One embedded server's folder."""

    folder: Path
    account: Account

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def log(self) -> Path:
        return self.folder / "server.log"

    @property
    def lock(self) -> Path:
        return self.folder / "lock"

    @property
    def users(self) -> Path:
        return self.folder / "users"

    @property
    def major(self) -> int | None:
        """The major version the data belongs to, or None before there is any."""
        version = self.data / "PG_VERSION"
        return int(version.read_text().split(".")[0]) if version.exists() else None

    @property
    def port(self) -> int | None:
        file = self.folder / "port"
        return int(file.read_text()) if file.exists() else None

    def url(self, database: str = DATABASE) -> str:
        password = (self.folder / "password").read_text().strip()
        return f"postgresql://{USER}:{password}@{HOST}:{self.port}/{database}"

    def new_password(self) -> str:
        password = secrets.token_urlsafe(24)
        _write_secret(self.folder / "password", password)
        return password

    def settle_port(self) -> int:
        """The port of last time, or another one if a stranger has taken it meanwhile."""
        port = self.port
        while port is None or not _is_free(port):
            port = FIRST_PORT + secrets.randbelow(LAST_PORT - FIRST_PORT + 1)
        if port != self.port:
            _write_secret(self.folder / "port", str(port))
        return port


def find_place(home: Path) -> Place:
    """Where the files of `home` are or would be, making nothing."""
    home = home.expanduser().resolve()  # the process table is searched for this very path
    account = choose_account(home / "data")
    if not account.dropped:
        return Place(home, account)
    nearest = next(folder for folder in [home, *home.parents] if folder.exists())
    if account.can("-x", nearest):
        return Place(home, account)
    if (home / "data").exists():
        # Starting with an empty folder elsewhere would look like losing everything.
        raise ServerFailed(f"the data in {home} belongs to user {account.name}, who may not enter {home}; let it in")
    other = ROOTS_OTHER_PLACE / sha256(str(home).encode()).hexdigest()[:16]
    return Place(other, choose_account(other / "data"))


def make_place(home: Path) -> Place:
    """Make the folder if it is missing, with modes that let the server's user pass; no other folder is touched."""
    place = find_place(home)
    missing = [folder for folder in [place.folder, *place.folder.parents] if not folder.exists()]
    for folder in reversed(missing):
        folder.mkdir(exist_ok=True)
        folder.chmod(0o711 if place.account.dropped else 0o700)
    return place


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
