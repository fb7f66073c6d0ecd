"""Chooses the operating-system user that runs the server, because Postgres refuses to run as root."""

import os
import pwd
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tenuto.db.connection.errors import ServerFailed

UNPRIVILEGED = ("postgres", "nobody")


@dataclass(frozen=True)
class OsAccount:
    """An operating-system user. `dropped`: this process must switch to that user to start the server."""

    name: str
    uid: int
    gid: int
    dropped: bool

    @property
    def user(self) -> int | None:
        """The value of the parameter `user` of `subprocess`; None for the current user."""
        return self.uid if self.dropped else None

    @property
    def group(self) -> int | None:
        return self.gid if self.dropped else None

    @property
    def extra_groups(self) -> list[int] | None:
        return [] if self.dropped else None

    def give(self, path: Path) -> None:
        """Make the user the owner of a file that this process has just created."""
        if self.dropped:
            os.chown(path, self.uid, self.gid)

    def can(self, test: str, path: Path) -> bool:
        """Returns whether the user can access a path. Tests it as that user, because file modes alone are not
        conclusive (ACLs, mounts, containers)."""
        if not self.dropped:
            return os.access(path, os.X_OK if test == "-x" else os.R_OK)
        command = ["/bin/sh", "-c", f'test {test} "$1"', "sh", str(path)]
        return subprocess.call(command, cwd="/", user=self.uid, group=self.gid, extra_groups=[]) == 0


def choose_account(data: Path | None = None) -> OsAccount:
    """Return the current user. For root, return the owner of the data, or else an existing unprivileged user; raises
    ServerFailed if there is none."""
    if os.geteuid() != 0:
        return OsAccount(f"uid {os.geteuid()}", os.geteuid(), os.getegid(), dropped=False)
    if data is not None and data.exists() and data.stat().st_uid != 0:
        return _owner(data)
    for name in UNPRIVILEGED:
        try:
            return _account(pwd.getpwnam(name), dropped=True)
        except KeyError:
            continue
    raise ServerFailed(
        "Postgres does not run as root and neither user 'postgres' nor 'nobody' exists here; "
        "run as an ordinary user, or set TENUTO_DATABASE_URL to a running server"
    )


def _account(entry: pwd.struct_passwd, *, dropped: bool) -> OsAccount:
    return OsAccount(entry.pw_name, entry.pw_uid, entry.pw_gid, dropped)


def _owner(data: Path) -> OsAccount:
    stat = data.stat()
    return OsAccount(f"uid {stat.st_uid}", stat.st_uid, stat.st_gid, dropped=True)
