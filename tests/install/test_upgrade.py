"""An upgrade while the database is in use: it waits for a pause, and nobody's call fails because of it."""

import shutil
import threading
from pathlib import Path

import psycopg
import pytest

import tenuto
from tenuto.db import install, quiet
from tenuto.db.errors import BusyTables
from tests.support.kernel import a_worker, call, start, status


def changed(folder: Path, no: int) -> Path:
    """The shipped SQL with another function body."""
    root = folder / str(no)
    shutil.copytree(Path(tenuto.__file__).parent / "sql", root)
    file = root / "runs" / "promote_due.sql"
    file.write_text(file.read_text().replace("as $$", f"as $$ -- {no}", 1))
    return root


def work(database: str, name: str, over: threading.Event, failed: list[Exception]) -> None:
    with psycopg.connect(database, autocommit=True) as db:
        worker = a_worker(db, name)
        while not over.is_set():
            try:
                start(db, *range(5))
                worker.complete(*worker.claim(5))
                call(db, "fold_runs")
            except Exception as error:
                failed.append(error)


def test_workers_and_an_upgrade_do_not_stop_each_other(database: str, tmp_path: Path) -> None:
    over, failed = threading.Event(), []
    threads = [threading.Thread(target=work, args=(database, f"w{no}", over, failed)) for no in range(3)]
    for thread in threads:
        thread.start()
    try:
        for no in range(3):
            assert install.migrate(database, test=True, root=changed(tmp_path, no)).objects_applied
    finally:
        over.set()
        for thread in threads:
            thread.join()

    assert failed == []


def test_a_transaction_that_does_not_end_stops_the_upgrade_with_a_message(
    database: str, db: psycopg.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quiet.hold_tables, "__kwdefaults__", {"patience": 1.0})
    with psycopg.connect(database) as stranger:
        (task_id,) = start(stranger)
        with pytest.raises(BusyTables, match="nothing was changed"):
            install.migrate(database, test=True, root=changed(tmp_path, 1))

    assert status(db, task_id) == "queued"
