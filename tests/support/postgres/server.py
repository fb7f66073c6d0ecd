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
from tenuto.db.install.test_databases import isolated_database
from tests.support.waiting import wait_until

TEMPLATE = "tenuto_template"
OTHER_WEEKS = """
select c.relname::text from pg_class c
where c.relispartition and c.relkind = 'r' and c.relnamespace = 'tenuto'::regnamespace
  and c.relname ~ '_(w[0-9]+|[0-9]{4}_[0-9]{2})$'
  and c.relname !~ to_char(now() at time zone 'UTC', '"_("IYYY"_w"IW"|"YYYY"_"MM")$"')
"""
PG_BIN = Path(os.environ["TENUTO_PG_BIN"]) if "TENUTO_PG_BIN" in os.environ else None


def run_folder(run: str) -> Path:
    """Where the run's server lives."""
    return Path(tempfile.gettempdir()) / f"tenuto-tests-{os.getuid()}-{run}"


def make_folder(prefix: str) -> Path:
    """A new folder for a server of the test's own, which the server's user can enter."""
    folder = Path(tempfile.mkdtemp(prefix=prefix))
    folder.chmod(0o755)
    return folder


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


def drop_other_weeks(url: str) -> None:
    """Drop the partitions of weeks and months other than now; what belongs there goes to the default partitions.
    Dispatchers create no others."""
    with psycopg.connect(url, autocommit=True) as conn:
        for (partition,) in conn.execute(OTHER_WEEKS).fetchall():
            conn.execute(f"drop table tenuto.{partition}".encode())
        conn.execute("delete from tenuto.partitioned_tables")


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


def ensure_home(
    folder: Path, name: str, *, source: Path | None = None, fill: Callable[[str], object] = lambda _: None
) -> Path:
    """The home of an embedded server that is filled and stopped, for all processes of the run to copy."""
    home = folder / name
    folder.mkdir(exist_ok=True)
    with (folder / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not home.exists():
            if source is not None:
                copy_home(source, home)
            with embedded.server(home, pg_bin=PG_BIN) as url:
                fill(url)
    return home


def make_testing_template(url: str) -> None:
    """What the first test of a session with `tenuto.testing` makes."""
    with isolated_database(url):
        pass


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

    wait_until(done)


def _make_logins_cheap(conn: psycopg.Connection) -> None:
    """Of the thousands of connections that a run opens, each would hash the password 4,096 times."""
    if conn.info.server_version >= 160_000:
        conn.execute("alter system set scram_iterations = 1")
        conn.execute("set scram_iterations = 1")
        conn.execute(sql.SQL("alter role current_user password {}").format(sql.Literal(conn.info.password)))
        conn.execute("select pg_reload_conf()")


@contextmanager
def fresh_database(server: str, name: str, template: str = "template0") -> Iterator[str]:
    if template == planted_database():
        yield in_database(server, template)
        return
    with psycopg.connect(server, autocommit=True) as conn:
        create_database(conn, name, template)
        try:
            yield in_database(server, name)
        finally:
            conn.execute(f"drop database if exists {name} with (force)".encode())


def planted_database() -> str | None:
    """The database with a bug in it that this one test uses instead of a copy of the template (tests/planted)."""
    return os.environ.get("TENUTO_TEST_PLANTED")


def in_database(server: str, name: str) -> str:
    return f"{server.rsplit('/', 1)[0]}/{name}"


def connect_as(database: str, role: str) -> psycopg.Connection:
    """A connection that acts as one of the tenuto roles."""
    return psycopg.connect(database, autocommit=True, options=f"-c role={role}")
