"""The SQL that ships with the package installs, and belongs to its owner."""

import psycopg

from tenuto.db.install import install
from tests.support.postgres.server import connect_as


def test_the_shipped_tree_installs_and_a_second_time_does_nothing(empty_database):
    first = install.migrate(empty_database)
    second = install.migrate(empty_database)

    assert first.objects_applied
    assert second.applied == []
    assert not second.objects_applied


def test_everything_belongs_to_the_owner_role(db):
    strangers = db.execute(
        "select oid::regclass::text from pg_class where relnamespace = 'tenuto'::regnamespace"
        " and relowner <> 'tenuto_owner'::regrole"
        " union all select oid::regprocedure::text from pg_proc where pronamespace = 'tenuto'::regnamespace"
        " and proowner <> 'tenuto_owner'::regrole"
    ).fetchall()

    assert strangers == []


def test_a_template_clone_is_marked_as_a_test_database(db):
    assert db.execute("select value from tenuto.installation where key = 'test'").fetchone() == ("true",)


def test_every_test_gets_a_database_of_its_own(db, database):
    db.execute("create table public.left_behind ()")
    with psycopg.connect(database) as conn:
        assert conn.execute("select to_regclass('public.left_behind') is not null").fetchone() == (True,)


def test_roles_can_be_tried_on(database):
    with connect_as(database, "tenuto_worker") as conn:
        assert conn.execute("select current_user").fetchone() == ("tenuto_worker",)


def test_every_function_and_view_says_what_it_is_for(db):
    silent = db.execute(
        "select oid::regprocedure::text from pg_proc where pronamespace = 'tenuto'::regnamespace"
        " and obj_description(oid, 'pg_proc') is null"
        " union all select relname from pg_class where relnamespace = 'tenuto'::regnamespace and relkind = 'v'"
        " and obj_description(oid, 'pg_class') is null"
    ).fetchall()

    assert silent == []
