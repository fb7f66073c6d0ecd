"""The embedded Postgres. The first process that uses it starts it, and the last one stops it."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from tenuto.db.connection.errors import DatabaseInUse, NoHome, ServerFailed
from tenuto.db.embedded import cluster
from tenuto.db.embedded.failures import ServerFailure, list_failures
from tenuto.db.embedded.paths import (
    PROJECT_FILE,
    ServerPaths,
    check_no_homes_inside,
    find_paths,
    finish_move,
    is_home,
    make_home,
    make_paths,
    set_aside,
    write_path,
)
from tenuto.db.embedded.postmaster import running_pid
from tenuto.db.embedded.users_lock import join, locked, nobody_left

__all__ = ["Server", "ServerFailure", "ServerStatus", "keep_aside", "server", "start", "status", "stop"]

SHOWN_FAILURES = timedelta(hours=1)


@dataclass(frozen=True)
class Server:
    """A running embedded Postgres."""

    url: str
    data: Path
    port: int
    pid: int
    started: bool


@dataclass(frozen=True)
class ServerStatus:
    """The state of the server of a home folder. Reading it does not start the server."""

    data: Path
    running: bool
    pid: int | None
    port: int | None
    url: str | None
    failures: list[ServerFailure]  # of the last hour


@contextmanager
def server(
    home: Path, *, project: Path | None = None, pg_bin: Path | None = None, keep: bool = False
) -> Generator[str]:
    """Use the server of this home folder, and yield its URL. At exit, the last process that uses it stops it, unless
    `keep` is set. `project`: the folder whose home it is."""
    with _locked_paths(home) as place:
        if project is not None:
            write_path(place.home / PROJECT_FILE, project)
        in_use = not nobody_left(place.home)
        membership = join(place.home)
        try:
            cluster.ensure_running(place, pg_bin, in_use=in_use)
        except BaseException:
            os.close(membership)
            raise
    try:
        yield place.url()
    finally:
        os.close(membership)
        if not keep:
            with locked(place.home):
                if nobody_left(place.home):
                    cluster.stop(place)


def start(home: Path, *, pg_bin: Path | None = None) -> Server:
    """Ensure that the server of this home folder runs. It runs until `stop` is called, or until the last process that
    uses it exits."""
    with _locked_paths(home) as place:
        started = cluster.ensure_running(place, pg_bin, in_use=not nobody_left(place.home))
        pid, port = running_pid(place.data), place.port
        if pid is None or port is None:
            raise ServerFailed(f"the embedded server started and then stopped; see {place.log}")
        return Server(place.url(), place.data, port, pid, started)


def stop(home: Path) -> bool:
    """Stop the server even if it is in use. The processes that use it do not start it again; the next call of `server`
    or `start` does. Returns whether it was running."""
    with _explain_errors(home):
        place = find_paths(home)
        if not is_home(place.home):
            return False
        with locked(place.home):
            return cluster.stop(place)


def keep_aside(home: Path) -> Path:
    """Stop the server, and move everything that belongs to its database into a new folder inside the home: the data,
    the password, the objects. That folder is a home of its own. Returns its path. Raises DatabaseInUse while processes
    use the server."""
    with _explain_errors(home):
        place = find_paths(home)
        if not is_home(place.home):
            raise NoHome(f"{place.home} has no database; `tenuto db migrate` creates one")
        with locked(place.home):
            finish_move(place.home)
            check_no_homes_inside(place.home)
            place = find_paths(place.home)
            if place.major is None:
                raise NoHome(f"{place.home} has no database; `tenuto db migrate` creates one")
            if not nobody_left(place.home):
                raise DatabaseInUse(f"processes of Tenuto use the database in {place.home}; stop them first")
            cluster.stop(place)
            return set_aside(place)


def status(home: Path) -> ServerStatus:
    """Return the state without starting, locking or creating anything."""
    with _explain_errors(home):
        place = find_paths(home)
        pid = running_pid(place.data)
        url = place.url() if place.major else None
        failures = list_failures(place, SHOWN_FAILURES)
        return ServerStatus(place.data, pid is not None, pid, place.port, url, failures)


@contextmanager
def _locked_paths(home: Path) -> Generator[ServerPaths]:
    """Yield the paths of this home folder, and hold its lock. Creates the folder if it is missing."""
    with _explain_errors(home):
        home = make_home(home)
        with locked(home):
            finish_move(home)
            yield make_paths(home)


@contextmanager
def _explain_errors(home: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        raise NoHome(
            f"no database can be stored in {home}: {error.strerror} ({error.filename}); "
            "set TENUTO_HOME to a folder that you own, or TENUTO_DATABASE_URL to a Postgres server"
        ) from error
