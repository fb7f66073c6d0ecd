"""Functions and views: what the files say is what the schema holds, whatever it held before."""

import pytest

from tenuto.db.connection.errors import BrokenObject
from tenuto.db.install import install
from tests.support.postgres.sql_trees import function


def functions(conn) -> list[str]:
    rows = conn.execute(
        "select oid::regprocedure::text from pg_proc where pronamespace = 'tenuto'::regnamespace order by 1"
    ).fetchall()
    return [row[0] for row in rows]


def test_a_changed_body_is_replaced(tree, empty):
    install.migrate(empty, root=tree.root)
    tree.write("shared/one.sql", function("one", body="select 11"))

    assert install.migrate(empty, root=tree.root).objects_applied
    assert empty.execute("select tenuto.one()").fetchone() == (11,)


@pytest.mark.parametrize(
    "changed",
    [
        function("one", returns="text", body="select 'one'"),
        function("one", parameters="p_other int", body="select 1"),
        function("one", parameters="p_other text, p_more int default 1", body="select 1"),
    ],
    ids=["return type", "new parameter", "other parameters"],
)
def test_a_changed_signature_leaves_exactly_the_new_function(tree, empty, changed):
    install.migrate(empty, root=tree.root)
    tree.write("shared/one.sql", changed)

    install.migrate(empty, root=tree.root)

    assert len(functions(empty)) == 1


def test_a_renamed_parameter_is_accepted(tree, empty):
    tree.write("shared/one.sql", function("one", parameters="p_old int", body="select 1"))
    install.migrate(empty, root=tree.root)
    tree.write("shared/one.sql", function("one", parameters="p_new int", body="select 1"))

    install.migrate(empty, root=tree.root)

    assert empty.execute("select tenuto.one(p_new => 3)").fetchone() == (1,)


def test_a_function_that_a_view_uses_can_change_its_type(tree, empty):
    tree.write("runs/a_view.sql", "create or replace view tenuto.a_view as select tenuto.one() as one;")
    tree.write("monitoring/b_view.sql", "create or replace view tenuto.b_view as select one from tenuto.a_view;")
    install.migrate(empty, root=tree.root)
    tree.write("shared/one.sql", function("one", returns="text", body="select 'changed'"))

    install.migrate(empty, root=tree.root)

    assert empty.execute("select one from tenuto.b_view").fetchone() == ("changed",)


def test_a_view_binds_to_the_new_overload_and_the_old_one_goes(tree, empty):
    tree.write("shared/one.sql", function("one", parameters="p int", body="select 1"))
    tree.write("runs/a_view.sql", "create or replace view tenuto.a_view as select tenuto.one(5)::text as one;")
    install.migrate(empty, root=tree.root)
    tree.write("shared/one.sql", function("one", parameters="p bigint", body="select 2"))

    install.migrate(empty, root=tree.root)

    assert functions(empty) == ["tenuto.one(bigint)"]
    assert empty.execute("select one from tenuto.a_view").fetchone() == ("2",)


def test_views_are_made_in_the_order_they_need_each_other(tree, empty):
    tree.write("runs/a.sql", "create or replace view tenuto.a as select * from tenuto.b;")
    tree.write("runs/b.sql", "create or replace view tenuto.b as select * from tenuto.c;")
    tree.write("runs/c.sql", "create or replace view tenuto.c as select 1 as x;")

    install.migrate(empty, root=tree.root)

    assert empty.execute("select x from tenuto.a").fetchone() == (1,)


def test_a_view_can_lose_a_column(tree, empty):
    tree.write("runs/a.sql", "create or replace view tenuto.a as select 1 as x, 2 as y;")
    install.migrate(empty, root=tree.root)
    tree.write("runs/a.sql", "create or replace view tenuto.a as select 2 as y;")

    install.migrate(empty, root=tree.root)

    assert empty.execute("select * from tenuto.a").fetchall() == [(2,)]


def test_a_view_whose_rows_a_function_answers_can_change_its_columns(tree, empty):
    tree.write("runs/a.sql", "create or replace view tenuto.a as select 1 as x, 2 as y;")
    tree.write("runs/all_a.sql", function("all_a", returns="setof tenuto.a", body="select * from tenuto.a"))
    tree.write("runs/_many_a.sql", function("_many_a", parameters="p tenuto.a[]", body="select cardinality(p)"))
    install.migrate(empty, root=tree.root)
    tree.write("runs/a.sql", "create or replace view tenuto.a as select 1 as x, 3 as z, 2 as y;")

    install.migrate(empty, root=tree.root)

    assert empty.execute("select z from tenuto.all_a()").fetchone() == (3,)


def test_what_no_file_creates_any_more_is_dropped(tree, empty):
    tree.write("runs/a.sql", "create or replace view tenuto.a as select 1 as x;")
    tree.write("runs/b.sql", "create or replace view tenuto.b as select x from tenuto.a;")
    tree.write("shared/_two.sql", function("_two", body="select 2"))
    install.migrate(empty, root=tree.root)
    for path in ("runs/a.sql", "runs/b.sql", "shared/_two.sql"):
        tree.remove(path)

    install.migrate(empty, root=tree.root)

    assert functions(empty) == ["tenuto.one()"]
    assert empty.execute("select count(*) from pg_views where schemaname = 'tenuto'").fetchone() == (0,)


def test_a_broken_file_is_named_and_changes_nothing(tree, empty):
    install.migrate(empty, root=tree.root)
    tree.write("shared/one.sql", function("one", body="select 11"))
    tree.write("runs/bad.sql", "create or replace view tenuto.bad as selec 1;")

    with pytest.raises(BrokenObject, match=r"runs/bad\.sql cannot be applied: syntax error"):
        install.migrate(empty, root=tree.root)
    assert empty.execute("select tenuto.one()").fetchone() == (1,)


def test_something_that_is_nowhere_is_named(tree, empty):
    tree.write("runs/a.sql", "create or replace view tenuto.a as select * from tenuto.nowhere;")

    with pytest.raises(BrokenObject, match=r'runs/a\.sql needs something .*"tenuto.nowhere" does not exist'):
        install.migrate(empty, root=tree.root)


def test_a_function_that_a_table_uses_keeps_its_shape(tree, empty):
    tree.write("shared/zero.sql", function("zero", body="select 0"))
    install.migrate(empty, root=tree.root)
    empty.execute("alter table tenuto.things alter id set default tenuto.zero()")
    tree.write("shared/zero.sql", function("zero", returns="text", body="select '0'"))

    with pytest.raises(BrokenObject, match=r"tenuto.zero\(\) cannot change its shape because default value for column"):
        install.migrate(empty, root=tree.root)


def test_grants_are_applied_after_everything_else(tree, empty):
    tree.write("grants.sql", "revoke all on function tenuto.one() from public;")
    install.migrate(empty, root=tree.root)

    allowed = empty.execute("select has_function_privilege('tenuto_worker', 'tenuto.one()', 'execute')").fetchone()
    assert allowed == (False,)


COMMENTS = "select obj_description('tenuto.one'::regproc, 'pg_proc'), obj_description('tenuto.a_view'::regclass)"


def test_what_a_file_opens_with_is_the_comment_of_its_object(tree, empty):
    tree.write("shared/one.sql", "-- The first number,\n-- 'one'.\n\n-- not this\n" + function("one", body="select 1"))
    tree.write("runs/a_view.sql", "-- A view.\ncreate or replace view tenuto.a_view as select 1 as one;")
    install.migrate(empty, root=tree.root)
    assert empty.execute(COMMENTS).fetchone() == ("The first number, 'one'.", "A view.")

    tree.write("shared/one.sql", function("one", body="select 1"))
    tree.write("runs/a_view.sql", "-- Another.\ncreate or replace view tenuto.a_view as select 1 as one;")
    install.migrate(empty, root=tree.root)

    assert empty.execute(COMMENTS).fetchone() == (None, "Another.")
