"""Installations that are no test databases, and copies of them: a dump restored beside the running original, and a
database made from it as its template."""

import itertools
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from tenuto.db.embedded.binaries import find_program
from tenuto.db.install import install
from tests.support.postgres.server import PG_BIN, ensure_database, fresh_database

_numbers = itertools.count(1)


def program(name: str) -> str:
    path = find_program(name, PG_BIN)
    if path is None:
        pytest.skip(f"{name} was not found beside Postgres or on PATH")
    return str(path)


@contextmanager
def an_installation(server: str, folder: Path) -> Iterator[str]:
    """The URL of a migrated database that is not for tests. It is a clone, so its marks are recorded
    again."""
    template = ensure_database(server, folder, "tenuto_production", "template0", install.migrate)
    with fresh_database(server, _name("original"), template) as url:
        with psycopg.connect(url, autocommit=True) as conn:
            conn.execute("select tenuto._record_marks(null, true, null)")
        yield url


@contextmanager
def restored(server: str, original: str) -> Iterator[str]:
    """The URL of a database of this server into which a dump of the original is restored. The original runs on."""
    with fresh_database(server, _name("copy")) as url:
        dump_and_restore(original, url)
        yield url


@contextmanager
def cloned(server: str, original: str) -> Iterator[str]:
    """The URL of a database that is created with the original as its template."""
    with fresh_database(server, _name("clone"), original.rpartition("/")[2].partition("?")[0]) as url:
        yield url


def dump_and_restore(source: str, target: str) -> None:
    command = [program("pg_restore"), "--exit-on-error", "--dbname", target]
    with subprocess.Popen([program("pg_dump"), "--format", "custom", source], stdout=subprocess.PIPE) as dump:
        restore = subprocess.run(command, stdin=dump.stdout, capture_output=True, text=True, check=False)
    assert (dump.returncode, restore.returncode, restore.stderr) == (0, 0, "")


def transactions(server: str, url: str) -> int:
    """How many transactions ended in this database: a dispatcher that is passive still looks. Asks in another
    database."""
    with psycopg.connect(server, autocommit=True) as conn:
        committed = "select xact_commit from pg_stat_database where datname = %s"
        row = conn.execute(committed, [url.rpartition("/")[2].partition("?")[0]]).fetchone()
    return row[0] if row else 0


def _name(kind: str) -> str:
    return f"{kind}_{os.getpid()}_{next(_numbers)}"
