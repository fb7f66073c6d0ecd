"""Who committed a start without waiting for the disk, and without a wake-up, settles it later."""

import os
import signal
from pathlib import Path

import psycopg
import pytest

from tenuto.db import embedded, install
from tests.support.kernel import Db, a_worker, start_one
from tests.support.server import PG_BIN, remove_server


def settle(db: Db, *queues: str) -> None:
    db.execute("call tenuto.settle_starts(%s)", [list(queues)])


def test_each_queue_is_told_of_once(db: Db) -> None:
    db.execute("listen tenuto_ready")

    settle(db, "mail", "default", "mail")

    assert sorted(note.payload for note in db.notifies(timeout=10, stop_after=2)) == ["default", "mail"]


def test_what_comes_after_it_waits_for_the_disk_as_before(db: Db) -> None:
    db.execute("set synchronous_commit = on")
    settle(db, "mail")

    assert db.execute("show synchronous_commit").fetchone() == ("on",)


def test_inside_a_transaction_it_is_refused(db: Db) -> None:
    with pytest.raises(psycopg.errors.InvalidTransactionTermination), db.transaction():
        settle(db, "mail")


def test_what_was_settled_is_there_when_postgres_is_killed_the_moment_after(tmp_path: Path) -> None:
    home = tmp_path / "postgres"
    try:
        with embedded.server(home, pg_bin=PG_BIN) as url:
            install.migrate(url)
        server = embedded.start(home, pg_bin=PG_BIN)
        with psycopg.connect(server.url, autocommit=True) as db:
            with db.transaction():
                db.execute("set local synchronous_commit = off")
                started = start_one(db)
            settle(db, "default")
            os.kill(server.pid, signal.SIGKILL)
        with psycopg.connect(embedded.start(home, pg_bin=PG_BIN).url, autocommit=True) as db:
            assert a_worker(db).claim_one().task_id == started
    finally:
        remove_server(home)
