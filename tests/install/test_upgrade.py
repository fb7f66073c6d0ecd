"""An upgrade while the database is in use: it waits for a pause. Nobody's call fails because of it; loops try again."""

import shutil
import threading
from pathlib import Path

import psycopg
import pytest

import tenuto
from tenuto.db.connection.errors import BusyTables, StatementFailed, TimedOut
from tenuto.db.install import install, lock_tables
from tests.support.database.loops import count
from tests.support.database.tasks import a_worker, start, status
from tests.support.faults.failing_rows import turn

SHIPPED = Path(tenuto.__file__).parent / "sql"


def changed(folder: Path, no: int) -> Path:
    """The shipped SQL with another function body."""
    root = folder / str(no)
    shutil.copytree(SHIPPED, root)
    file = root / "runs" / "attempts" / "promote_due.sql"
    file.write_text(file.read_text().replace("as $$", f"as $$ -- {no}", 1))
    return root


def work(database: str, name: str, over: threading.Event, failed: list[Exception]) -> None:
    with psycopg.connect(database, autocommit=True) as db:
        worker = a_worker(db, name)
        while not over.is_set():
            try:
                start(db, *range(5))
                worker.complete(*worker.claim(5))
            except Exception as error:
                failed.append(error)


def serve_loop(database: str, over: threading.Event, failed: list[Exception]) -> None:
    """As a dispatcher does it: a turn that gets no lock in time is tried again."""
    while not over.is_set():
        try:
            turn(database, "fold_runs")
        except (StatementFailed, TimedOut):
            continue
        except Exception as error:
            failed.append(error)


def test_workers_and_an_upgrade_do_not_stop_each_other(database: str, db: psycopg.Connection, tmp_path: Path) -> None:
    over, failed = threading.Event(), []
    threads = [threading.Thread(target=work, args=(database, f"w{no}", over, failed)) for no in range(3)]
    threads.append(threading.Thread(target=serve_loop, args=(database, over, failed)))
    for thread in threads:
        thread.start()
    try:
        assert install.migrate(database, test=True, root=changed(tmp_path, 1)).objects_applied
    finally:
        over.set()
        for thread in threads:
            thread.join()

    turn(database, "fold_runs")
    assert failed == []
    assert count(db, "parked_rows") == 0


def test_a_transaction_that_does_not_end_stops_the_upgrade_with_a_message(
    database: str, db: psycopg.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lock_tables.hold_tables, "__kwdefaults__", {"timeout": 1.0})
    with psycopg.connect(database) as stranger:
        (task_id,) = start(stranger)
        with pytest.raises(BusyTables, match="nothing was changed"):
            install.migrate(database, test=True, root=changed(tmp_path, 1))

    assert status(db, task_id) == "queued"
