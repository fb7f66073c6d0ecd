"""The SQL keeps its boundaries, and the check that says so can fail."""

import pytest

from check_sql import SQL, check_tree, read_schema
from tests.support.postgres.sql_trees import Tree, function, trigger, view


def test_the_shipped_sql_keeps_its_boundaries():
    assert check_tree(SQL) == []


def test_every_table_of_the_shipped_sql_has_an_owner():
    schema = read_schema(SQL)

    assert "tasks" in schema.tables
    assert schema.tables["tasks"] == "runs"


PLANTED = {
    "a second object": (
        "runs/two.sql",
        function("two", body="select 1") + "\n" + function("three", body="select 1"),
        "must create exactly tenuto.two, but creates two, three",
    ),
    "another name": ("runs/two.sql", function("three", body="select 1"), "must create exactly tenuto.two"),
    "a table": (
        "runs/two.sql",
        function("two", body="select 1") + "create table tenuto.more ();",
        "creates a table; a file in tables/ does that",
    ),
    "a foreign write": (
        "runs/two.sql",
        function("two", body="insert into tenuto.things values (1)"),
        "writes tenuto.things, which belongs to shared",
    ),
    "a foreign update": (
        "runs/two.sql",
        function("two", body="UPDATE tenuto.things set id = 1"),
        "writes tenuto.things, which belongs to shared",
    ),
    "an unknown table": (
        "runs/two.sql",
        function("two", body="delete from tenuto.nothing"),
        "writes tenuto.nothing, which no file in tables/ creates",
    ),
    "a call upwards": (
        "outbox/two.sql",
        function("two", body="select tenuto.high()"),
        "uses tenuto.high of monitoring, which comes after outbox",
    ),
    "an unknown function": (
        "runs/two.sql",
        function("two", body="select tenuto.nowhere(1)"),
        "calls tenuto.nowhere(), which no file creates",
    ),
    "dynamic SQL": ("runs/two.sql", function("two", body="execute format('select %s', 1)"), "runs dynamic SQL"),
    "a notification": ("runs/two.sql", function("two", body="select pg_notify('a', 'b')"), "notifies; only _wake.sql"),
    "a schema of compat that another context uses": (
        "runs/two.sql",
        function("two", body="select tenuto_compat.low()"),
        "uses tenuto_compat.low of compat, which comes after runs",
    ),
    "an unknown name of compat": (
        "compat/tenuto_compat/two.sql",
        function("two", body="select tenuto_compat.nowhere()", schema="tenuto_compat"),
        "uses tenuto_compat.nowhere, which no file creates",
    ),
    "another schema": (
        "compat/tenuto_compat/two.sql",
        function("two", body="select 1"),
        "must create exactly tenuto_compat.two, but creates tenuto.two",
    ),
    "a write of compat": (
        "compat/tenuto_compat/two.sql",
        function("two", body="insert into tenuto.things values (1)", schema="tenuto_compat"),
        "writes tenuto.things, which belongs to shared",
    ),
    "a trigger on another view": (
        "compat/tenuto_compat/two.sql",
        view("tenuto_compat.two") + trigger("tenuto_compat.low"),
        "creates a trigger; triggers.sql does that",
    ),
    "width": ("runs/two.sql", "-- " + "x" * 118 + "\n" + function("two", body="select 1"), "has 121 columns"),
}


@pytest.mark.parametrize(("path", "text", "complaint"), PLANTED.values(), ids=PLANTED)
def test_a_planted_violation_is_found(tmp_path, path, text, complaint):
    tree = Tree(tmp_path / "sql")
    tree.write("monitoring/high.sql", function("high", body="select 1"))
    tree.write("compat/tenuto_compat/low.sql", view("tenuto_compat.low") + trigger("tenuto_compat.low"))
    tree.write(path, text)

    complaints = check_tree(tree.root)

    assert len(complaints) == 1
    assert complaints[0].startswith(f"{path}: ")
    assert complaint in complaints[0]


def test_what_the_rules_allow_is_not_reported(tmp_path):
    tree = Tree(tmp_path / "sql")
    body = """
      insert into tenuto.things (id) values (1) on conflict (id) do update set id = 2;
      select tenuto.one(), 'insert into tenuto.other', 'execute'; -- delete from tenuto.other
      select 1 from tenuto.things for update"""
    text = function("two", body=body) + "revoke execute on function tenuto.two() from public;"

    tree.write("shared/two.sql", text)

    assert check_tree(tree.root) == []
