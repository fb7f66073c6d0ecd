"""A new database on a server of one's own: the old schemas stay under another name, with everything in them."""

from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from tenuto.db.connection.errors import BusyTables, DatabaseInUse, MissingRight, OtherFunctions, OtherTables
from tenuto.db.install import install, lock_tables
from tenuto.db.install.login_script import login_script
from tenuto.db.install.reset import reset
from tenuto.model.errors import NotFound
from tests.support.database.loops import count
from tests.support.database.tasks import start
from tests.support.postgres.server import connect_as
from tests.support.waiting import wait_until

pytestmark = pytest.mark.own_database("its schemas are renamed")


def schemas(db: psycopg.Connection) -> set[str]:
    return {row[0] for row in db.execute("select nspname::text from pg_namespace where nspname ~ '^tenuto'").fetchall()}


def test_the_old_schemas_keep_their_rows_and_new_ones_are_empty(database, db):
    before = schemas(db)
    (task_id,) = start(db)
    db.execute("create table tenuto_data.rows_of_a_version as select 7 as x")

    kept = reset(database)

    assert set(kept) == before
    assert schemas(db) == before | set(kept.values())
    old = kept["tenuto"]
    assert db.execute(f"select id from {old}.tasks").fetchall() == [(task_id,)]
    assert db.execute(f"select x from {kept['tenuto_data']}.rows_of_a_version").fetchall() == [(7,)]
    assert count(db, "tasks") == 0
    assert install.status(database).current
    assert start(db) != []
    assert db.execute(f"select count(*) from {old}.tasks").fetchone() == (1,)


def test_tables_of_another_commit_are_kept_and_replaced(tree, empty_database, empty):
    tree.write("tables/runs.sql", "create table tenuto.runs (other text); insert into tenuto.runs values ('kept');")
    install.migrate(empty_database, root=tree.root)
    with pytest.raises(OtherTables):
        install.migrate(empty_database)

    kept = reset(empty_database, installation="ours")

    assert empty.execute(f"select other from {kept['tenuto']}.runs").fetchall() == [("kept",)]
    assert empty.execute("select name from tenuto.installation_marks").fetchone() == ("ours",)
    assert not install.migrate(empty_database).objects_applied


def test_the_functions_of_kept_schemas_can_be_called_by_no_role_but_the_owner(database, db):
    kept = reset(database)["tenuto"]

    for role in ("tenuto_api", "tenuto_dispatcher", "tenuto_worker", "tenuto_client", "tenuto_readonly"):
        with connect_as(database, role) as conn, pytest.raises(psycopg.errors.InsufficientPrivilege):
            conn.execute(f"select {kept}.create_partitions()".encode())
    with connect_as(database, "tenuto_backup") as conn:
        assert conn.execute(f"select count(*) from {kept}.tasks".encode()).fetchone() == (0,)


def test_nothing_is_changed_while_processes_are_connected(database, db):
    before = schemas(db)
    refused = pytest.raises(DatabaseInUse, match=r"\(tenuto worker\), and nothing was changed; stop them")
    with psycopg.connect(database, application_name="tenuto worker"), refused:
        reset(database)
    assert schemas(db) == before


def test_nothing_is_changed_while_a_client_keeps_a_start_uncommitted(database, db, monkeypatch):
    monkeypatch.setattr(lock_tables.hold_tables, "__kwdefaults__", {"timeout": 1.0})
    before = schemas(db)
    with psycopg.connect(database) as client:
        (task_id,) = start(client)
        with pytest.raises(BusyTables, match="nothing was changed"):
            reset(database)

    assert schemas(db) == before
    assert db.execute("select id from tenuto.tasks").fetchall() == [(task_id,)]


def test_a_start_that_meets_the_reset_is_stored_once_or_fails(database, db):
    """It fails if its snapshot is older than the new tables, in which it then sees no resource group."""

    def start_one() -> list[UUID]:
        try:
            return start(db)
        except (psycopg.Error, NotFound):
            return []

    with psycopg.connect(database) as holder, ThreadPoolExecutor(2) as threads:
        holder.execute("lock table tenuto.sweep_positions in access share mode")
        done = threads.submit(reset, database)
        waiting = "select 1 from pg_stat_activity where query like 'lock table%' and wait_event_type = 'Lock'"
        wait_until(lambda: db.execute(waiting).fetchone())
        started = threads.submit(start_one)
        holder.rollback()

        old, accepted = done.result()["tenuto"], started.result()

    stored = db.execute(f"select id from tenuto.tasks union all select id from {old}.tasks").fetchall()
    assert [task_id for (task_id,) in stored] == accepted


def test_the_login_of_the_owner_may_reset(database, db):
    db.execute(login_script("shop", ["owner"]).encode())
    db.execute("alter role shop_owner password 'secret'")
    try:
        assert "tenuto" in reset(make_conninfo(database, user="shop_owner", password="secret"))
    finally:
        db.execute("drop owned by shop_owner; drop role shop_owner")


def test_a_login_without_the_right_gets_the_script_that_helps(database, db):
    db.execute("create role reset_plain login password 'secret'")
    db.execute("grant tenuto_owner to reset_plain")
    plain = make_conninfo(database, user="reset_plain", password="secret")
    (task_id,) = start(db)
    try:
        with pytest.raises(MissingRight, match="ask a superuser to run this once") as refusal:
            reset(plain)
        assert db.execute("select id from tenuto.tasks").fetchall() == [(task_id,)]

        db.execute(str(refusal.value).split("\n\n", 1)[1].encode())
        assert install.migrate(plain).applied == ["0001_baseline"]
    finally:
        db.execute("drop owned by reset_plain; drop role reset_plain")


def test_there_is_nothing_to_reset_in_an_empty_database(empty_database):
    with pytest.raises(OtherFunctions, match="has no Tenuto schema; run `tenuto db migrate`"):
        reset(empty_database)
