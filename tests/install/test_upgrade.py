"""An upgrade while the database is in use: it waits for a pause. Nobody's call fails because of it; loops try again."""

import shutil
import threading
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest

import tenuto
from tenuto.db.connection.errors import BusyTables, StatementFailed, TimedOut
from tenuto.db.install import install, lock_tables
from tests.support.database.invariants import assert_invariants
from tests.support.database.limits import a_key, start_limited
from tests.support.database.loops import count
from tests.support.database.tasks import DEFAULT_ORG, a_worker, start, status
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


def first_seven_migrations(folder: Path) -> Path:
    """The tables before anybody noted what a task read, and no functions but those that need no later table."""
    root = folder / "old"
    shutil.copytree(
        SHIPPED / "shared",
        root / "shared",
        ignore=shutil.ignore_patterns("*_partitions.sql", "*_parked*.sql", "*_audit_arrivals.sql"),
    )
    (root / "migrations").mkdir()
    for migration in sorted((SHIPPED / "migrations").iterdir())[:7]:
        shutil.copy(migration, root / "migrations")
    return root


def test_weeks_that_are_there_already_get_partitions_for_what_tasks_read(empty_database: str, tmp_path: Path) -> None:
    install.migrate(empty_database, test=True, root=first_seven_migrations(tmp_path))
    with psycopg.connect(empty_database, autocommit=True) as db:
        db.execute("set role tenuto_owner")
        db.execute("create table tenuto.tasks_2020_w01 partition of tenuto.tasks for values from"
                   " ('016f5e66-e800-7000-8000-000000000000') to ('016f8273-7000-7000-8000-000000000000')")  # fmt: skip

        install.migrate(empty_database, test=True)

        weeks = {
            table: {
                (name.removeprefix(f"{table}_"), ids)
                for name, ids in db.execute(
                    "select c.relname::text, pg_get_expr(c.relpartbound, c.oid) from pg_inherits i"
                    " join pg_class c on c.oid = i.inhrelid where i.inhparent = %s::regclass",
                    [f"tenuto.{table}"],
                ).fetchall()
            }
            for table in ("tasks", "task_inputs")
        }
    assert "2020_w01" in {name for name, _ in weeks["tasks"]}
    assert weeks["task_inputs"] == weeks["tasks"]


def without_migration(folder: Path, name: str) -> Path:
    """The shipped SQL without this migration and those after it."""
    root = folder / "old"
    shutil.copytree(SHIPPED, root)
    for migration in (root / "migrations").iterdir():
        if migration.name >= name:
            migration.unlink()
    return root


OLD_LIMIT = """
insert into tenuto.limits (id, org_id, scope, key, size) overriding system value values (7, %(org)s, 'key', 'k', 2);
update tenuto.arrivals set limit_id = 7, scope = null, key = null, size = null, resizes = false where key = 'k';
update tenuto.waiting_tasks set limit_id = 7;
insert into tenuto.limit_slots (task_id, limit_id, org_id) values (%(task)s, 7, %(org)s);
insert into tenuto.limits (id, org_id, scope, key, size, seconds) overriding system value
  values (8, %(org)s, 'rate', 'r', 2, 60);
insert into tenuto.rate_admissions (limit_id, since, admitted_at, org_id, tasks) values (8, now(), now(), %(org)s, 1)
"""


def before_hashes(database: str, folder: Path) -> psycopg.Connection:
    install.migrate(database, test=True, root=without_migration(folder, "0109_runs_ids_of_limits.sql"))
    return psycopg.connect(database, autocommit=True, cursor_factory=psycopg.ClientCursor)


def test_limits_with_a_number_as_id_get_the_hash_of_their_key(empty_database: str, tmp_path: Path) -> None:
    with before_hashes(empty_database, tmp_path) as db:
        start_limited(db, 3, a_key("k", 2))
        db.execute(OLD_LIMIT, {"org": DEFAULT_ORG, "task": uuid4()})
        db.execute(f"revoke temporary on database {db.info.dbname} from public".encode())

        install.migrate(empty_database, test=True)

        ids = "select tenuto._limit_id(org_id, scope, key) = id from tenuto.limits"
        assert db.execute(ids).fetchall() == [(True,), (True,)]
        assert count(db, "rate_admissions a join tenuto.limits l on l.id = a.limit_id and l.scope = 'rate'") == 1
        worker = a_worker(db)
        first = worker.claim(3)
        assert len(first) == 1  # the other slot is taken
        worker.complete(*first)
        second = worker.claim(3)
        worker.complete(*second)
        assert len(second) == len(worker.claim(3)) == 1


# Two limits with one slot each. Of two tasks that need both, in opposite orders of ids, one holds a slot of the first.
OLD_PAIR = """
insert into tenuto.limits (id, org_id, scope, key, size) overriding system value
  values (%(first)s, %(org)s, 'key', 'a', 1), (15 - %(first)s, %(org)s, 'key', 'b', 1);
delete from tenuto.arrivals;
update tenuto.waiting_tasks set limit_id = 7;
with held as (
  update tenuto.waiting_tasks set limit_id = 8 where seq = (select min(seq) from tenuto.waiting_tasks) returning id
)
insert into tenuto.limit_slots (task_id, limit_id, org_id) select id, 7, %(org)s from held
"""


@pytest.mark.parametrize("first", [7, 8])
def test_tasks_in_line_for_several_limits_begin_again_in_the_new_order(
    empty_database: str, tmp_path: Path, first: int
) -> None:
    with before_hashes(empty_database, tmp_path) as db:
        start_limited(db, 2, a_key("a", 1), a_key("b", 1))
        db.execute(OLD_PAIR, {"org": DEFAULT_ORG, "first": first})

        install.migrate(empty_database, test=True)

        start_limited(db, 2, a_key("a", 1), a_key("b", 1))
        worker = a_worker(db)
        for _ in range(4):
            claims = worker.claim(4)
            assert len(claims) == 1
            worker.complete(*claims)
        assert_invariants(db)
