"""A backup by the documented login, restored into an empty server, as docs/operate/backup.md says."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from tenuto.db import embedded
from tenuto.db.embedded.binaries import find_program
from tenuto.db.install import install
from tenuto.model.errors import CopiedDatabase
from tests.support.database.jobs import deployed, trigger
from tests.support.database.loops import count
from tests.support.database.orgs import a_busy_org
from tests.support.database.tables import LEDGER, stage
from tests.support.database.tasks import Db, a_worker, call, start, status
from tests.support.postgres.server import PG_BIN, copy_home, make_folder
from tests.support.processes.command_line import tenuto

TABLES = """
select c.relname::text from pg_class c where c.relnamespace = 'tenuto'::regnamespace and c.relkind in ('r', 'p')
"""


def counts(db: Db) -> dict[str, int]:
    """The number of rows in every table and partition."""
    return {table: count(db, table) for (table,) in db.execute(TABLES).fetchall()}


@pytest.fixture
def backup_login(db: Db, database: str) -> Iterator[str]:
    prefix = f"t_{db.info.dbname}"
    db.execute(tenuto("db", "roles", "backup", "--prefix", prefix).stdout.encode())
    db.execute(f"alter role {prefix}_backup password 'secret'".encode())
    yield make_conninfo(database, user=f"{prefix}_backup", password="secret")
    db.execute(f"drop role {prefix}_backup".encode())


@pytest.fixture
def empty_server(bare_home: Path) -> Iterator[str]:
    """A server without any of Tenuto's roles."""
    parent = make_folder("tenuto-restore-")
    copy_home(bare_home, parent / "home")
    with embedded.server(parent / "home", pg_bin=PG_BIN) as url:
        yield url
    shutil.rmtree(parent)


def program(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    path = find_program(name, PG_BIN)
    if path is None:
        pytest.skip(f"{name} was not found beside Postgres or on PATH")
    return subprocess.run([path, *arguments], capture_output=True, text=True, check=False)


def _rows_of_a_dataset(db: Db) -> str:
    """The table of a dataset in Postgres, with a row."""
    deployed(db, LEDGER)
    trigger(db, "collect", dag="ledger")
    worker = a_worker(db, "writer")
    (claim,) = worker.claim(1, routes=worker.routes(types=["tenuto.python.jobs.bookings"]))
    stage(worker, claim, [["1", "a"]])
    return f"v_{claim.input['job']['outputs'][0]['version_id'].replace('-', '')}"


@pytest.mark.parametrize("bypass", [False, True], ids=["--enable-row-security", "bypassrls"])
def test_a_dump_is_complete_and_runs_go_on_after_it_is_restored(
    db: Db, database: str, backup_login: str, empty_server: str, tmp_path: Path, bypass: bool
) -> None:
    a_busy_org(db, "busy")
    rows = _rows_of_a_dataset(db)
    held, queued = start(db, 1, 2)
    a_worker(db).claim_one()
    if bypass:
        db.execute(f"alter role t_{db.info.dbname}_backup bypassrls".encode())
    db.execute("select tenuto.create_partitions()")
    dump = str(tmp_path / "tenuto.dump")
    options = [
        "--format",
        "custom",
        "--schema",
        "tenuto",
        "--schema",
        "tenuto_data",
        *([] if bypass else ["--enable-row-security"]),
    ]

    dumped = program("pg_dump", "--file", dump, *options, backup_login)
    assert (dumped.returncode, dumped.stderr) == (0, "")
    with psycopg.connect(empty_server, autocommit=True) as conn:
        conn.execute(tenuto("db", "roles").stdout.encode())
    restored = program("pg_restore", "--dbname", empty_server, "--exit-on-error", dump)
    assert (restored.returncode, restored.stderr) == (0, "")

    with psycopg.connect(empty_server, autocommit=True) as conn:
        assert counts(conn) == counts(db)
        assert install.migrate(empty_server).objects_applied, "the schemas of other systems are back"
        assert install.status(empty_server).current
        assert (
            conn.execute(f"table tenuto_data.{rows}".encode()).fetchall()
            == db.execute(f"table tenuto_data.{rows}".encode()).fetchall()
        )
        assert (status(conn, held), status(conn, queued)) == ("running", "queued")
        conn.execute("update tenuto.installation set value = 'false' where key = 'test'")  # these are never copies
        with pytest.raises(CopiedDatabase, match="of Postgres system"):
            a_worker(conn, "new")
        call(conn, "adopt_database", moved=True)
        assert a_worker(conn, "new").claim_one().task_id == queued
        with psycopg.connect(empty_server) as reader:
            reader.execute("set role tenuto_api")
            assert reader.execute("select count(*) from tenuto.tasks").fetchone() == (0,), "row security is back"
            assert reader.execute(f"table tenuto_data.{rows}".encode()).fetchall() == []
