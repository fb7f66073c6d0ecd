"""Schemas with the names of other systems: a folder of sql/compat is a schema, with functions, views and triggers."""

import psycopg
import pytest

from tenuto.db.connection.errors import BrokenObject
from tenuto.db.install import install
from tests.support.postgres.sql_trees import Tree, function, trigger, view

REFUSE = (
    "create or replace function tenuto_compat._refuse() returns trigger language plpgsql"
    " as $$ begin raise 'refused'; end $$;"
)
TASKS = "compat/tenuto_compat/tasks.sql"
VIEW = view("tenuto_compat.tasks") + trigger("tenuto_compat.tasks", "tenuto_compat._refuse")


@pytest.fixture
def compat(tree: Tree) -> Tree:
    """A view whose trigger refuses inserts."""
    tree.write("compat/tenuto_compat/_refuse.sql", "-- Refuses writes.\n" + REFUSE)
    tree.write(TASKS, "-- Shows tasks.\n" + VIEW)
    return tree


def objects(conn: psycopg.Connection) -> list[str]:
    rows = conn.execute(
        "select n.nspname || '.' || p.proname from pg_proc p join pg_namespace n on n.oid = p.pronamespace"
        " where n.nspname ~ '^tenuto'"
        " union all select schemaname || '.' || viewname from pg_views where schemaname ~ '^tenuto'"
    ).fetchall()
    return sorted(row[0] for row in rows)


def triggers(conn: psycopg.Connection) -> list[str]:
    return [row[0] for row in conn.execute("select tgname::text from pg_trigger where not tgisinternal order by 1")]


def test_a_folder_is_a_schema_and_a_name_can_be_in_several(compat, empty):
    compat.write("compat/tenuto_compat_x/tasks.sql", view("tenuto_compat_x.tasks"))
    compat.write("runs/tasks.sql", view("tenuto.tasks", "select x from tenuto_compat.tasks"))

    install.migrate(empty, root=compat.root)

    assert objects(empty) == [
        "tenuto.one",
        "tenuto.tasks",
        "tenuto_compat._refuse",
        "tenuto_compat.tasks",
        "tenuto_compat_x.tasks",
    ]
    owner = empty.execute("select nspowner::regrole::text from pg_namespace where nspname = 'tenuto_compat'").fetchone()
    assert owner == ("tenuto_owner",)
    comment = empty.execute("select obj_description('tenuto_compat.tasks'::regclass)").fetchone()
    assert comment == ("Shows tasks.",)
    with pytest.raises(psycopg.errors.RaiseException, match="refused"):
        empty.execute("insert into tenuto_compat.tasks values (1)")


def test_a_trigger_without_a_line_in_its_file_is_dropped(compat, empty):
    compat.write(TASKS, VIEW + trigger("tenuto_compat.tasks", "tenuto_compat._refuse", trigger="other", event="delete"))
    install.migrate(empty, root=compat.root)
    assert triggers(empty) == ["other", "refuses"]
    compat.write(TASKS, VIEW)

    install.migrate(empty, root=compat.root)

    assert triggers(empty) == ["refuses"]


def test_a_view_that_changes_its_columns_keeps_its_trigger(compat, empty):
    compat.write("shared/base.sql", view("tenuto.base", "select 1 as x, 2 as y"))
    compat.write(TASKS, VIEW.replace("select 1 as x", "select x from tenuto.base"))
    install.migrate(empty, root=compat.root)
    compat.write("shared/base.sql", view("tenuto.base", "select 2 as y, 'one' as x"))

    install.migrate(empty, root=compat.root)

    assert empty.execute("select x from tenuto_compat.tasks").fetchone() == ("one",)
    assert triggers(empty) == ["refuses"]


def test_what_no_file_creates_any_more_is_dropped_and_so_is_its_schema(compat, empty):
    install.migrate(empty, root=compat.root)
    compat.remove(TASKS)
    compat.remove("compat/tenuto_compat/_refuse.sql")

    install.migrate(empty, root=compat.root)

    assert objects(empty) == ["tenuto.one"]
    assert empty.execute("select to_regnamespace('tenuto_compat')").fetchone() == (None,)


def test_a_schema_of_another_owner_is_left_alone(compat, empty):
    empty.execute("create schema tenuto_compat_mine")
    empty.execute("create view tenuto_compat_mine.notes as select 1 as x")

    install.migrate(empty, root=compat.root)

    assert empty.execute("select x from tenuto_compat_mine.notes").fetchone() == (1,)


def test_a_table_in_the_way_of_a_schema_that_goes_is_named(compat, empty):
    install.migrate(empty, root=compat.root)
    empty.execute("create table public.notes (task tenuto_compat.tasks)")
    compat.remove(TASKS)

    with pytest.raises(BrokenObject, match=r"tenuto_compat.tasks is no longer in any file but is still used"):
        install.migrate(empty, root=compat.root)


def test_a_changed_function_of_one_schema_does_not_touch_its_namesake(compat, empty):
    compat.write("compat/tenuto_compat/one.sql", function("one", body="select 100", schema="tenuto_compat"))
    install.migrate(empty, root=compat.root)
    compat.write("shared/one.sql", function("one", parameters="p int", body="select p"))

    install.migrate(empty, root=compat.root)

    assert empty.execute("select tenuto_compat.one(), tenuto.one(3)").fetchone() == (100, 3)
