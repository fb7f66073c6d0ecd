"""One Postgres for a whole test run, shared by its xdist workers, and databases created in it."""

import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg import sql

from tenuto.db import embedded
from tenuto.db.embedded.paths import find_paths, make_home, make_paths
from tenuto.db.install import install
from tests.support.waiting import wait_until

TEMPLATE = "tenuto_template"
PG_BIN = Path(os.environ["TENUTO_PG_BIN"]) if "TENUTO_PG_BIN" in os.environ else None


def run_folder(run: str) -> Path:
    """Where the run's server lives: in memory if there is room, where a database is cloned three times faster."""
    return _roomy() / f"tenuto-tests-{os.getuid()}-{run}"


def _roomy() -> Path:
    memory = Path("/dev/shm")  # noqa: S108 - the folder made in it is named after the user and the run
    if os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > 4 << 30:
        return memory
    return Path(tempfile.gettempdir())


@contextmanager
def shared_server(folder: Path) -> Iterator[str]:
    """The URL of the run's server; the last worker that leaves stops it."""
    with embedded.server(folder, pg_bin=PG_BIN) as url:
        with psycopg.connect(url, autocommit=True) as conn:
            for setting in ("fsync", "full_page_writes", "synchronous_commit"):
                conn.execute(f"alter system set {setting} = off")
            # Statistics change when a test says so, not when a worker of the server comes along.
            conn.execute("alter system set autovacuum_naptime = '1d'")
            conn.execute("select pg_reload_conf()")
        yield url


def remove_server(folder: Path) -> None:
    embedded.stop(folder)
    shutil.rmtree(
        embedded.status(folder).data.parent, ignore_errors=True
    )  # elsewhere, where root's server cannot enter
    shutil.rmtree(folder, ignore_errors=True)


def ensure_template(server: str, folder: Path) -> str:
    """The name of a migrated test database to clone."""

    def fill(url: str) -> None:
        with psycopg.connect(server, autocommit=True) as conn:
            _make_logins_cheap(conn)
        install.migrate(url, test=True)

    return ensure_database(server, folder, TEMPLATE, "template0", fill)


def ensure_database(server: str, folder: Path, name: str, template: str, fill: Callable[[str], object]) -> str:
    """The name of a database for all processes of the run to clone, made by the first of them."""
    folder.mkdir(exist_ok=True)
    with (folder / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with psycopg.connect(server, autocommit=True) as conn:
            if conn.execute("select 1 from pg_database where datname = %s", [name]).fetchone() is None:
                half_made = f"{name}_half_made"
                conn.execute(f"drop database if exists {half_made}".encode())
                create_database(conn, half_made, template)
                fill(in_database(server, half_made))
                _when_free(conn, f"alter database {half_made} rename to {name}")
    return name


def ensure_home(folder: Path) -> Path:
    """The home of an embedded server that is migrated and stopped, for all processes of the run to copy."""
    home = folder / "home"
    folder.mkdir(exist_ok=True)
    with (folder / "home.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not home.exists():
            with embedded.server(home, pg_bin=PG_BIN) as url:
                install.migrate(url)
    return home


def copy_home(made: Path, home: Path) -> None:
    """What the first start and migration would make, which takes ten times as long."""
    source, place = find_paths(made), make_paths(make_home(home))
    subprocess.run(["cp", "-a", source.data, place.data], check=True)
    shutil.copy2(source.password, place.password)


def create_database(conn: psycopg.Connection, name: str, template: str) -> None:
    _when_free(conn, f"create database {name} template {template} strategy file_copy")


def _when_free(conn: psycopg.Connection, statement: str) -> None:
    """To clone or rename a database needs it without connections. One that was closed just now may end later than
    within the five seconds that Postgres waits, on a busy machine."""

    def done() -> bool:
        try:
            conn.execute(statement.encode())
        except psycopg.errors.ObjectInUse:
            return False
        return True

    wait_until(done, timeout=60)


def _make_logins_cheap(conn: psycopg.Connection) -> None:
    """Of the thousands of connections that a run opens, each would hash the password 4,096 times."""
    if conn.info.server_version >= 160_000:
        conn.execute("alter system set scram_iterations = 1")
        conn.execute("set scram_iterations = 1")
        conn.execute(sql.SQL("alter role current_user password {}").format(sql.Literal(conn.info.password)))
        conn.execute("select pg_reload_conf()")


@contextmanager
def fresh_database(server: str, name: str, template: str = "template0") -> Iterator[str]:
    with psycopg.connect(server, autocommit=True) as conn:
        create_database(conn, name, template)
        try:
            yield in_database(server, name)
        finally:
            conn.execute(f"drop database if exists {name} with (force)".encode())


def in_database(server: str, name: str) -> str:
    return f"{server.rsplit('/', 1)[0]}/{name}"


def connect_as(database: str, role: str) -> psycopg.Connection:
    """A connection that acts as one of the tenuto roles."""
    return psycopg.connect(database, autocommit=True, options=f"-c role={role}")
